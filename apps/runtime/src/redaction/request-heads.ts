import { everySession } from "../store/every-session.ts";
import type { HostStore } from "../store/host-store.ts";

/** Sessions whose request head (system text and tool definitions) has one of the texts, as `formsOf` answers them. */
export async function headsWith(
  store: HostStore,
  forms: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const judged = new Map<string, boolean>();
  const sessions: string[] = [];
  for await (const { id, requestHead } of everySession(store, { signal })) {
    if (requestHead === null) continue;
    const known = judged.get(requestHead);
    const bytes = known === undefined ? await store.blobs.get(requestHead, { signal }) : undefined;
    const text = bytes === undefined ? "" : Buffer.from(bytes).toString("utf8");
    const has = known ?? forms.some((form) => text.includes(form));
    judged.set(requestHead, has);
    if (has) sessions.push(id);
  }
  return sessions;
}
