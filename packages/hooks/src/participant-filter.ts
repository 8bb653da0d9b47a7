import type { JsonValue } from "@basis/core";
import type { CallEffect, HookEvent, HookRequest } from "./hook-request.ts";
import type { Seat } from "./participant.ts";

/** Which calls a participant is asked about. */
export interface ParticipantFilter {
  /** Tool names, or globs when they hold `*` or `?`. Absent: every tool; empty: none. */
  readonly tools?: readonly string[] | undefined;
  /** What the call does, whichever tool it goes through. Absent: every effect. A call whose effect nobody knows matches. */
  readonly effect?: readonly CallEffect[] | undefined;
  /**
   * JSON pointers into the input and the glob that the text found there must match; all must.
   * A field that is absent does not match. What cannot be judged (an input that is not JSON, an object, a list) does.
   */
  readonly input?: Readonly<Record<string, string>> | undefined;
}

/** True when a participant is to be asked about a request as it stands. */
export type RequestFilter = (request: HookRequest) => boolean;

/** What of a filter depends on more than event and tool; undefined when nothing does. What cannot be judged matches. */
export function requestFilter({ effect, input }: ParticipantFilter): RequestFilter | undefined {
  if (effect === undefined && input === undefined) return undefined;
  const matches = inputFilter(input ?? {});
  return (request) =>
    (effect === undefined || request.effect === undefined || effect.includes(request.effect)) &&
    matches(request.input);
}

/** Whether all texts at the pointers match; an input that cannot be judged does. */
export function inputFilter(predicates: Readonly<Record<string, string>>): (input: JsonValue) => boolean {
  const list = Object.entries(predicates).map(([pointer, glob]) => predicateOf(pointer, glob));
  return (input) => list.every((holds) => holds(input));
}

/** True when the filter lets this tool through. */
export function matchesTool(tools: readonly string[] | undefined, toolName: string): boolean {
  return tools === undefined || tools.some((entry) => matchesGlob(entry, toolName));
}

/** Whether the text at a pointer matches. Source of the pointer's syntax: RFC 6901. */
function predicateOf(pointer: string, glob: string): (input: JsonValue) => boolean {
  const [, ...tokens] = pointer.split("/").map((raw) => raw.replaceAll("~1", "/").replaceAll("~0", "~"));
  return (input) => {
    if (typeof input !== "object" || input === null) return true;
    let found: JsonValue | undefined = input;
    for (const token of tokens) {
      if (typeof found !== "object" || found === null || !Object.hasOwn(found, token)) return false;
      found = (found as { [key: string]: JsonValue })[token];
    }
    return (typeof found === "object" && found !== null) || matchesGlob(glob, String(found));
  };
}

/**
 * Matches a whole text against `*` (any run, empty too) and `?` (one code unit), in time proportional to the text: what
 * takes more than 16 steps a character, as only a text that all but repeats the glob does, is not judged and matches.
 */
export function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let afterStar = -1;
  let resume = 0;
  let left = 16 * (text.length + glob.length);
  for (let from = 0; from < text.length; left -= 1) {
    const wanted = glob[at];
    if (wanted === "*") {
      at += 1;
      afterStar = at;
      resume = from;
    } else if (wanted === "?" || wanted === text[from]) {
      at += 1;
      from += 1;
    } else if (afterStar < 0) return false;
    else if (left < 0) return true;
    else {
      at = afterStar;
      from = ++resume;
    }
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
}

/** Names come from a model, so there may be any number of them. */
const MAX_CACHED_NAMES = 512;

/** Which seats of a chain an event and a tool name concern; worked out once for each name. */
export function planCache(seats: readonly Seat[]): (event: HookEvent, toolName: string) => readonly Seat[] {
  const plans = {
    pre_tool_use: new Map<string, readonly Seat[]>(),
    post_tool_use: new Map<string, readonly Seat[]>(),
  };
  return (event, toolName) => {
    const known = plans[event];
    let plan = known.get(toolName);
    if (plan === undefined) {
      plan = seats.filter((seat) => seat.events.includes(event) && matchesTool(seat.tools, toolName));
      if (known.size >= MAX_CACHED_NAMES) known.clear();
      known.set(toolName, plan);
    }
    return plan;
  };
}
