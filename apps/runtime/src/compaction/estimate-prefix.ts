import type { SessionRecord, TranscriptRow } from "@mobkit/session";
import type { ModelMessage } from "../providers/model.ts";
import { summaryFacts } from "../providers/summary-message.ts";
import type { HostStore } from "../store/host-store.ts";

/** About how many tokens a request takes that ends with a prefix of a session. */
export interface PrefixEstimate {
  readonly tokens: number;
  /** `provider`: counted by it for a request that ends in this prefix, what came after it by characters; `characters`: all of it. */
  readonly from: "provider" | "characters";
}

/** Which prefix of which session. */
export interface EstimatedPrefix {
  readonly session: Pick<SessionRecord, "id" | "requestHead">;
  readonly length: number;
}

/** English text and code have about so many. */
const CHARACTERS_PER_TOKEN = 4;

const WINDOW = 64;

/**
 * Estimates from the end back to the last answer whose tokens a provider counted, or to the summary that requests begin
 * with; reads all rows only when there is neither.
 */
export async function estimatePrefix(
  store: HostStore,
  { session, length }: EstimatedPrefix,
  signal: AbortSignal,
): Promise<PrefixEstimate> {
  let characters = 0;
  const byCharacters = async (): Promise<PrefixEstimate> => {
    const head = await headCharacters(store, session, signal);
    return { tokens: tokensOf(characters + head), from: "characters" };
  };
  for (let to = length; to > 0; to -= WINDOW) {
    const rows = await readRows(store, { id: session.id, from: Math.max(0, to - WINDOW - 1), to }, signal);
    for (let at = rows.length - 1; at >= 0; at -= 1) {
      const row = rows[at]!;
      if (row.position < to - WINDOW) break; // it only tells what was spent before its window
      const counted = countedWith(row, rows[at - 1]);
      if (counted > 0) return { tokens: counted + tokensOf(characters), from: "provider" };
      characters += charactersOf(row.body);
      const summary = summaryFacts(row.body);
      if (summary === undefined) continue;
      characters += await keptCharacters(
        store,
        { id: session.id, from: summary.keepFrom, to: row.position },
        signal,
      );
      return byCharacters();
    }
  }
  return byCharacters();
}

/** Characters of the messages that stayed before a summary. */
async function keptCharacters(store: HostStore, range: RowRange, signal: AbortSignal): Promise<number> {
  const rows = await readRows(store, range, signal);
  return rows.reduce((sum, { body }) => sum + (summaryFacts(body) ? 0 : charactersOf(body)), 0);
}

/** Characters of what stands before the messages; 0 as long as no request was made. */
export async function headCharacters(
  store: HostStore,
  { requestHead }: Pick<SessionRecord, "requestHead">,
  signal: AbortSignal,
): Promise<number> {
  return requestHead === null ? 0 : ((await store.blobs.get(requestHead, { signal }))?.length ?? 0);
}

/** About how many tokens so many characters are. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** What a message is estimated by. */
export function charactersOf({ content }: ModelMessage): number {
  return JSON.stringify(content).length;
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

interface RowRange {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

async function readRows(
  store: HostStore,
  { id, from, to }: RowRange,
  signal: AbortSignal,
): Promise<readonly TranscriptRow<ModelMessage>[]> {
  const rows: TranscriptRow<ModelMessage>[] = [];
  for await (const row of store.read(id, { from, to, signal })) rows.push(row);
  return rows;
}
