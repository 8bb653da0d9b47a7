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
  const predicates = Object.entries(input ?? {}).map(([pointer, glob]) => predicateOf(pointer, glob));
  return (request) =>
    (effect === undefined || request.effect === undefined || effect.includes(request.effect)) &&
    predicates.every((holds) => holds(request.input));
}

/** True when the filter lets this tool through. */
export function matchesTool(tools: readonly string[] | undefined, toolName: string): boolean {
  return tools === undefined || tools.some((entry) => compileGlob(entry)(toolName));
}

function predicateOf(pointer: string, glob: string): (input: JsonValue) => boolean {
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((raw) => raw.replaceAll("~1", "/").replaceAll("~0", "~"));
  const matches = compileGlob(glob);
  return (input) => {
    if (typeof input !== "object" || input === null) return true;
    const found = valueAt(tokens, input);
    if (found === undefined) return false;
    return (typeof found === "object" && found !== null) || matches(String(found));
  };
}

/** The value that a JSON pointer's tokens lead to, or undefined. Source: RFC 6901. */
function valueAt(tokens: readonly string[], root: JsonValue): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const token of tokens) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, token) ? (value as { [key: string]: JsonValue })[token] : undefined;
  }
  return value;
}

/**
 * Compiles a glob that must match a whole text: `*` is any run, an empty one too, and `?` one code unit. The time that
 * a match takes grows with the text's length, times one for each 32 characters between two stars.
 */
export function compileGlob(glob: string): (text: string) => boolean {
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text.length === first.length && standsAt(first, text, 0);
  const finders = rest.filter((piece) => piece !== "").map(finderOf);
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !standsAt(first, text, 0) || !standsAt(last, text, end)) return false;
    let from = first.length;
    return finders.every((find) => (from = find(text, from, end)) >= 0);
  };
}

function standsAt(piece: string, text: string, from: number): boolean {
  for (let at = 0; at < piece.length; at += 1) {
    if (piece[at] !== "?" && piece[at] !== text[from + at]) return false;
  }
  return true;
}

/** Bits that one word of the search below holds. */
const WORD = 32;

/** Where the first place of a piece in `text.slice(from, end)` ends, or -1. */
type Finder = (text: string, from: number, end: number) => number;

/** Searches by bits, one for each beginning of the piece that the text so far ends with (Baeza-Yates and Gonnet). */
function finderOf(piece: string): Finder {
  const { length } = piece;
  if (length <= WORD && !piece.includes("?")) {
    return (text, from, end) => {
      const at = text.indexOf(piece, from);
      return at < 0 || at + length > end ? -1 : at + length;
    };
  }
  const words = Math.ceil(length / WORD);
  const { wild, masks } = masksOf(piece, words);
  const lastBit = 1 << ((length - 1) % WORD);
  return (text, from, end) => {
    const state = new Int32Array(words);
    for (let at = from; at < end; at += 1) {
      const mask = masks.get(text.charCodeAt(at)) ?? wild;
      let carry = 1;
      for (let word = 0; word < words; word += 1) {
        const before = state[word]!;
        state[word] = ((before << 1) | carry) & mask[word]!;
        carry = before >>> (WORD - 1);
      }
      if ((state[words - 1]! & lastBit) !== 0) return at + 1;
    }
    return -1;
  };
}

/** For each code unit the places of the piece where it may stand; `wild` for those that the piece does not hold. */
function masksOf(piece: string, words: number): { wild: Int32Array; masks: Map<number, Int32Array> } {
  const wild = new Int32Array(words);
  const masks = new Map<number, Int32Array>();
  const setBit = (mask: Int32Array, at: number): void => {
    mask[Math.floor(at / WORD)]! |= 1 << (at % WORD);
  };
  for (let at = 0; at < piece.length; at += 1) if (piece[at] === "?") setBit(wild, at);
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    const mask = masks.get(code) ?? wild.slice();
    setBit(mask, at);
    masks.set(code, mask);
  }
  return { wild, masks };
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
