import { isJsonObject, type JsonValue } from "@basis/core";
import type { SessionRecord } from "@mobkit/session";
import { PatternError, type BoundedPattern } from "./bounded-pattern.ts";
import type { HostState } from "../store/open-state.ts";
import { REDACTED, SHORTEST_TEXT } from "./texts.ts";

/** Most different texts that one pattern may find. */
const MOST = 1000;

/** What a pattern finds, each text once. */
export interface MatchingTexts {
  /** In the transcript. */
  readonly spoken: readonly string[];
  /** In the event log alone. */
  readonly logged: readonly string[];
}

/**
 * Every different text that a pattern finds in a session's transcript and event log.
 *
 * @throws PatternError for texts that are too short, for too many, and for what takes too long.
 */
export async function matchingTexts(
  { store, events }: Pick<HostState, "store" | "events">,
  session: SessionRecord,
  { pattern, signal }: { readonly pattern: BoundedPattern; readonly signal: AbortSignal },
): Promise<MatchingTexts> {
  const spoken = new Set<string>();
  const logged = new Set<string>();
  const look = (value: JsonValue, found: Set<string>): void => {
    for (const match of pattern.matches([...textsIn(value)]))
      // What stands in place of a text has nothing to take out, whatever finds it at a repetition.
      if (!REDACTED.includes(match) && !spoken.has(match)) found.add(match);
    if (spoken.size + logged.size > MOST)
      throw new PatternError(
        `the pattern finds more than ${MOST} different texts; write one that finds fewer`,
      );
  };
  if (session.state !== "tombstone")
    for await (const { body } of store.read(session.id, { signal }))
      look(body as unknown as JsonValue, spoken);
  for await (const { data } of events.read(session.id)) look(data as JsonValue, logged);
  if ([...spoken, ...logged].some((text) => text.length < SHORTEST_TEXT))
    throw new PatternError(
      `the pattern finds texts of fewer than ${SHORTEST_TEXT} characters, which stand anywhere; write one that finds more of each`,
    );
  return { spoken: [...spoken], logged: [...logged] };
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
