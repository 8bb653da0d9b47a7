import { compileLinear, type LinearPattern } from "./linear-pattern.ts";
import { isRisky, isSimple } from "./pattern-risk.ts";
import { parsePattern } from "./pattern-syntax.ts";

/** Longest text that a regular expression without an automaton is tried on. */
const MAX_NATIVE = 400;
/** The same for one with a single repetition, such as `^.{1,4096}$`, whose automaton would be too large. */
const MAX_SIMPLE = 10_000;
/** Longest text that a harmless one is tried on natively; longer ones go to the linear matcher. */
const MAX_QUICK = 256;
/** Longest text that any pattern is tried on. */
const MAX_LINEAR = 100_000;
/** Longest text that a pattern with lookaround is tried on. */
const MAX_LOOKED = 1_000;
/** Most steps of an automaton over one text: some tenths of a second. */
const MAX_STEPS = 20_000_000;

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
    if (text.length <= MAX_QUICK && !linear.risky) return native.test(text);
    return text.length <= maxLength && linear.test(text);
  };
  return { bounded: maxLength === MAX_LINEAR, maxLength, test };
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
  const test = (text: string): boolean => text.length <= maxLength && native.test(text);
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
