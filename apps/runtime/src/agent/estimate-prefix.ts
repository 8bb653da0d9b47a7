import type { SessionRecord, TranscriptRow } from "@mobkit/session";
import type { ModelMessage } from "../providers/model.ts";
import type { HostStore } from "../store/host-store.ts";

/** About how many tokens a request takes that ends with a prefix of a session. */
export interface PrefixEstimate {
  readonly tokens: number;
  /** `provider`: counted by it for a request that ends in this prefix, what came after it by characters; `characters`: all of it. */
  readonly from: "provider" | "characters";
}

/** English text and code have about so many. */
const CHARACTERS_PER_TOKEN = 4;

const WINDOW = 64;

/** Estimates from the end back to the last answer whose tokens a provider counted; reads all rows only when there is none. */
export async function estimatePrefix(
  store: HostStore,
  { session, length }: { readonly session: SessionRecord; readonly length: number },
  signal: AbortSignal,
): Promise<PrefixEstimate> {
  let characters = 0;
  for (let to = length; to > 0; to -= WINDOW) {
    const rows = await readRows(store, { id: session.id, from: Math.max(0, to - WINDOW - 1), to }, signal);
    for (let at = rows.length - 1; at >= 0; at -= 1) {
      const row = rows[at]!;
      if (row.position < to - WINDOW) break; // it only tells what was spent before its window
      const counted = countedWith(row, rows[at - 1]);
      if (counted > 0) return { tokens: counted + tokensOf(characters), from: "provider" };
      characters += charactersOf(row);
    }
  }
  const head =
    session.requestHead === null ? undefined : await store.blobs.get(session.requestHead, { signal });
  return { tokens: tokensOf(characters + (head?.length ?? 0)), from: "characters" };
}

/** The tokens of the request that a row answers, and of the answer; 0 where no provider counted. */
function countedWith(
  row: TranscriptRow<ModelMessage>,
  before: TranscriptRow<ModelMessage> | undefined,
): number {
  if (row.kind !== "assistant" || (before === undefined && row.position > 0)) return 0;
  const { inputTokens, outputTokens } = row.usageAfter;
  const spent = before?.usageAfter ?? { inputTokens: 0, outputTokens: 0 };
  return inputTokens === spent.inputTokens
    ? 0
    : inputTokens - spent.inputTokens + outputTokens - spent.outputTokens;
}

async function readRows(
  store: HostStore,
  { id, from, to }: { readonly id: string; readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<readonly TranscriptRow<ModelMessage>[]> {
  const rows: TranscriptRow<ModelMessage>[] = [];
  for await (const row of store.read(id, { from, to, signal })) rows.push(row);
  return rows;
}

function charactersOf({ body }: TranscriptRow<ModelMessage>): number {
  return JSON.stringify(body.content).length;
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
