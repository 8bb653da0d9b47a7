import { compileLinear } from "./linear-pattern.ts";

/** Longest text that a regular expression which is not linear is tried on. */
const MAX_NATIVE = 1_000;
/** Longest text that a harmless one is tried on natively; longer ones go to the linear matcher. */
const MAX_QUICK = 256;
/** Longest text that any pattern is tried on. */
const MAX_LINEAR = 100_000;

/** A regular expression of a schema whose matching time is bounded. A longer text than `maxLength` never matches. */
export interface Pattern {
  /** False when it could only be bounded by the length of the text (lookaround, back references). */
  readonly bounded: boolean;
  readonly maxLength: number;
  test(text: string): boolean;
}

/**
 * Reads a schema's `pattern`: with the `u` flag, else without. Undefined when it is neither.
 * A pattern with nested or many repetitions, and any longer text, is matched by simulating its automaton,
 * so that no text makes it run away; one that has no automaton is tried on short texts only.
 */
export function readPattern(source: string): Pattern | undefined {
  const native = nativeRegExp(source);
  if (!native) return undefined;
  const linear = compileLinear(source, native.unicode);
  if (!linear) {
    const test = (text: string): boolean => text.length <= MAX_NATIVE && native.test(text);
    return { bounded: false, maxLength: MAX_NATIVE, test };
  }
  const test = (text: string): boolean => {
    if (text.length <= MAX_QUICK && !linear.risky) return native.test(text);
    return text.length <= MAX_LINEAR && linear.test(text);
  };
  return { bounded: true, maxLength: MAX_LINEAR, test };
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
