import { compileLinear, type LinearPattern } from "./linear-pattern.ts";
import { growthOf, isRisky, isSimple } from "./pattern-risk.ts";
import { parsePattern } from "./pattern-syntax.ts";

/** Longest text that a regular expression without an automaton is tried on. */
const MAX_NATIVE = 400;
/** The same for one with a single repetition, such as `^.{1,4096}$`, whose automaton would be too large. */
const MAX_SIMPLE = 10_000;
/** Most steps that the platform's engine may take where there is an automaton too. */
const MAX_QUICK = 20_000;
/** Longest text that any pattern is tried on. */
const MAX_LINEAR = 100_000;
/** Longest text that a pattern with lookaround is tried on. */
const MAX_LOOKED = 1_000;
/** Most steps of an automaton over one text: some tenths of a second. */
const MAX_STEPS = 20_000_000;
/** The same over all texts of one answer. */
const MAX_ANSWER_STEPS = 50_000_000;

/** A regular expression of a schema whose matching time is bounded. A longer text than `maxLength` never matches. */
export interface Pattern {
  /** False when its time could only be bounded by the length of the text (lookaround, back references, very large ones). */
  readonly bounded: boolean;
  readonly maxLength: number;
  test(text: string): boolean;
}

/**
 * Reads a schema's `pattern`: with the `u` flag, else without. Undefined when it is neither, or when there is no way
 * to match it in bounded time (back references beside nested or many repetitions).
 * A pattern on which a backtracking engine may run away, and any longer text, is matched by simulating its automaton.
 */
export function readPattern(source: string): Pattern | undefined {
  const native = nativeRegExp(source);
  if (!native) return undefined;
  const linear = compileLinear(source, native.unicode);
  if (!linear) return readUnbounded(source, native);
  const maxLength = longestFor(linear);
  const test = (text: string): boolean => {
    const quick = text.length ** linear.growth + ORDINARY;
    if (quick <= MAX_QUICK && !linear.risky) return spend(quick) && native.test(text);
    if (isTooLong(text, maxLength)) return false;
    const steps = text.length * linear.size * (linear.looks ? text.length : 1);
    return spend(steps) && linear.test(text);
  };
  return { bounded: maxLength === MAX_LINEAR, maxLength, test };
}

/** What matching costs at least. */
const ORDINARY = 50;

/** Steps that are left for the answer being checked. */
let left = Infinity;
/** True once a text of that answer was too long for a pattern, and so taken for one that does not match. */
let skipped = false;

function isTooLong(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  skipped = true;
  return true;
}

/** All pattern tests of one answer together took too long. */
export class PatternEffortError extends Error {
  override readonly name: string = "PatternEffortError";
}

/**
 * Checks one answer, whose pattern tests share one budget of steps; `check` says whether it fits.
 * @throws PatternEffortError when it is used up, or when an answer fits and a text in it was too long for a pattern,
 *   which under a `not` would have been a reason to refuse it.
 */
export function withinPatternBudget(check: () => boolean): boolean {
  const before = { left, skipped };
  left = MAX_ANSWER_STEPS;
  skipped = false;
  try {
    const fits = check();
    if (fits && skipped) throw new PatternEffortError("a text is too long for a pattern");
    return fits;
  } finally {
    ({ left, skipped } = before);
  }
}

function spend(steps: number): boolean {
  left -= steps;
  if (left < 0) throw new PatternEffortError("matching patterns took too many steps");
  return true;
}

function longestFor({ size, looks }: LinearPattern): number {
  if (looks) return Math.min(MAX_LOOKED, Math.floor(Math.sqrt(MAX_STEPS / size)));
  return Math.min(MAX_LINEAR, Math.floor(MAX_STEPS / size));
}

/** What has no automaton is left to the platform's engine, on short texts and where it cannot run away. */
function readUnbounded(source: string, native: RegExp): Pattern | undefined {
  const tree = parsePattern(source, native.unicode);
  if (!tree || isRisky(tree)) return undefined;
  const maxLength = isSimple(tree) ? MAX_SIMPLE : MAX_NATIVE;
  const growth = Math.max(1, growthOf(tree));
  const test = (text: string): boolean =>
    !isTooLong(text, maxLength) && spend(text.length ** growth + ORDINARY) && native.test(text);
  return { bounded: false, maxLength, test };
}

function nativeRegExp(source: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {
      continue;
    }
  }
  return undefined;
}
