import { isJsonObject, parseStrict, type JsonObject } from "@basis/core";
import type { CacheInheritance } from "@mobkit/fork";
import type { SessionRecord } from "@mobkit/session";
import type { HostStore } from "../../store/host-store.ts";

/** The fork that is judged: its own session once it is committed, before that its source's. */
export interface JudgedFork {
  readonly session: Pick<SessionRecord, "requestHead">;
  /** Messages that the fork begins with. */
  readonly length: number;
  /** `provider/id`, when the fork is to have another model than its source. */
  readonly model?: string | undefined;
}

/** Room for the definitions of many tools. */
const MAX_HEAD_BYTES = 64 * 1024 * 1024;

/** Providers that keep the beginning of every request by themselves, for as long as they keep it. */
const automatic: ReadonlySet<string> = new Set(["openai", "google"]);

/**
 * Whether a fork can count on its source's prompt cache, from what the store knows: the head of the source's last request
 * names model, system text and tools. It holds if the fork's next run has the same.
 */
export async function cacheVerdict(
  store: HostStore,
  { session, length, model }: JudgedFork,
  signal?: AbortSignal,
): Promise<CacheInheritance> {
  if (session.requestHead === null) return { status: "unavailable", reason: "target_identity_unresolved" };
  const head = await readHead(store, session.requestHead, signal);
  const ref = head?.["model"];
  if (!isJsonObject(ref)) return { status: "unavailable", reason: "rendered_prefix_projection_unavailable" };
  const { provider, id } = ref as { readonly provider?: unknown; readonly id?: unknown };
  if (model !== undefined && model !== `${String(provider)}/${String(id)}`)
    return { status: "unavailable", reason: "provider_model_mismatch" };
  if (provider === "anthropic")
    return { status: "unavailable", reason: "no_authored_breakpoint_at_boundary" };
  if (!automatic.has(String(provider)))
    return { status: "unavailable", reason: "target_lowering_unavailable" };
  return { status: "available", messageCount: length };
}

/** What stands before the messages of a session's requests; undefined when it is gone or can't be read. */
async function readHead(
  store: HostStore,
  digest: string,
  signal?: AbortSignal,
): Promise<JsonObject | undefined> {
  const bytes = await store.blobs.get(digest, { signal });
  if (bytes === undefined) return undefined;
  const head = parseStrict(new TextDecoder().decode(bytes), { maxBytes: MAX_HEAD_BYTES });
  return head.ok && isJsonObject(head.value) ? head.value : undefined;
}
