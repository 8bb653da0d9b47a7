import { isJsonObject, type JsonValue } from "@basis/core";
import type { SessionRecord } from "@mobkit/session";
import type { HostState } from "../store/open-state.ts";
import { SHORTEST_TEXT } from "./texts.ts";

/** Most different texts that one pattern may find. */
const MOST = 1000;

/** A pattern that finds what cannot be taken out. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/**
 * Every different text that a pattern finds in a session's transcript and event log.
 *
 * @throws PatternError for texts that are too short, and for too many.
 */
export async function matchingTexts(
  { store, events }: Pick<HostState, "store" | "events">,
  session: SessionRecord,
  { pattern, signal }: { readonly pattern: RegExp; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const found = new Set<string>();
  const look = (value: JsonValue): void => {
    for (const text of textsIn(value)) {
      for (const [match] of text.matchAll(pattern)) if (match !== "") found.add(match);
    }
    if (found.size > MOST)
      throw new PatternError(
        `the pattern finds more than ${MOST} different texts; write one that finds fewer`,
      );
  };
  if (session.state !== "tombstone")
    for await (const { body } of store.read(session.id, { signal })) look(body as unknown as JsonValue);
  for (const { data } of events.read(session.id)) look(data as JsonValue);
  const short = [...found].filter((text) => text.length < SHORTEST_TEXT);
  if (short.length > 0)
    throw new PatternError(
      `the pattern finds texts of fewer than ${SHORTEST_TEXT} characters, which stand anywhere; write one that finds more of each`,
    );
  return [...found];
}

function* textsIn(value: JsonValue): Iterable<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "number") yield String(value);
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      yield key;
      yield* textsIn(member);
    }
  }
}
