import type { JsonValue } from "@basis/core";
import type { HookEvent } from "./hook-request.ts";
import type { Seat } from "./participant.ts";

/** Which calls a participant is asked about. */
export interface ParticipantFilter {
  /** Tool names, or globs when they hold `*` or `?`. Absent: every tool; empty: none. */
  readonly tools?: readonly string[] | undefined;
  /**
   * JSON pointers into the input and the glob that the text found there must match; all must.
   * A field that is absent does not match. What cannot be judged (an input that is not JSON, an object, a list) does.
   */
  readonly input?: Readonly<Record<string, string>> | undefined;
}

/** Matches a whole text against `*` (any run, empty too) and `?` (one code unit). Time is bounded by both lengths' product. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let from = 0;
  while (from < text.length) {
    if (at < pattern.length && pattern[at] === "*") {
      star = at;
      at += 1;
      resume = from;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[from])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      from = resume;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

/** True when the filter lets this tool through. */
export function matchesTool(tools: readonly string[] | undefined, toolName: string): boolean {
  return tools === undefined || tools.some((entry) => matchesGlob(entry, toolName));
}

/** True when every predicate holds of the input, or cannot be judged. */
export function matchesInput(predicates: ParticipantFilter["input"], input: JsonValue): boolean {
  if (predicates === undefined) return true;
  return Object.entries(predicates).every(([pointer, glob]) => holds(pointer, glob, input));
}

function holds(pointer: string, glob: string, input: JsonValue): boolean {
  if (typeof input !== "object" || input === null) return true;
  const found = valueAt(pointer, input);
  if (found === undefined) return false;
  if (typeof found === "object" && found !== null) return true;
  return matchesGlob(glob, String(found));
}

/** The value a JSON pointer names, or undefined. Source: RFC 6901. */
function valueAt(pointer: string, root: JsonValue): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const raw of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    const token = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Object.hasOwn(value, token) ? (value as { [key: string]: JsonValue })[token] : undefined;
  }
  return value;
}

/** Names come from a model, so there may be any number of them. */
const MAX_CACHED_NAMES = 512;

/** Which seats of a chain an event and a tool name concern; worked out once for each name. */
export class PlanCache {
  readonly #seats: readonly Seat[];
  readonly #plans: Readonly<Record<HookEvent, Map<string, readonly Seat[]>>> = {
    pre_tool_use: new Map(),
    post_tool_use: new Map(),
  };

  constructor(seats: readonly Seat[]) {
    this.#seats = seats;
  }

  planFor(event: HookEvent, toolName: string): readonly Seat[] {
    const plans = this.#plans[event];
    let plan = plans.get(toolName);
    if (plan === undefined) {
      plan = this.#seats.filter((seat) => seat.events.includes(event) && matchesTool(seat.tools, toolName));
      if (plans.size >= MAX_CACHED_NAMES) plans.clear();
      plans.set(toolName, plan);
    }
    return plan;
  }
}
