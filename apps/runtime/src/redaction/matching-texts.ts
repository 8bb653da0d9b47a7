import type { JsonValue } from "@basis/core";
import type { SessionRecord } from "@mobkit/session";
import { PatternError, type BoundedPattern } from "./bounded-pattern.ts";
import type { HostState } from "../store/open-state.ts";
import { spokenInEvent } from "./event-text.ts";
import { spokenIn } from "./message-text.ts";
import { REDACTED, SHORTEST_TEXT, textsIn } from "./texts.ts";

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
 * Every different text that a pattern finds in what a session's transcript and event log say; words of their format, names
 * and ids would stay and are not looked at.
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
    for await (const { body } of store.read(session.id, { signal })) look(spokenIn(body), spoken);
  for await (const event of events.read(session.id)) look(spokenInEvent(event), logged);
  if ([...spoken, ...logged].some((text) => text.length < SHORTEST_TEXT))
    throw new PatternError(
      `the pattern finds texts of fewer than ${SHORTEST_TEXT} characters, which stand anywhere; write one that finds more of each`,
    );
  return { spoken: [...spoken], logged: [...logged] };
}
