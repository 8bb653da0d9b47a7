const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LOWER_E = 0x65;
const UPPER_E = 0x45;

/** Strings are mostly short: a search costs more to begin than the first characters do. */
const SHORT = 24;

/** A number of up to 16 characters has 15 digits and a point at most, or is a whole number. */
const MAX_EXACT_CHARACTERS = 16;

/** What a JSON text says and its parsed value no longer does. */
export interface TextSurvey {
  /** How many members its objects have together, those of equal names counted one by one. */
  readonly members: number;
  /** True when a number has an exponent or more than 16 characters. */
  readonly longNumbers: boolean;
}

/** Reads a text that `JSON.parse` accepted, once and without looking at what its strings say. */
export function surveyText(text: string): TextSurvey {
  const { length } = text;
  let members = 0;
  let longNumbers = false;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members += 1;
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at);
      if (end < 0 || end - at > MAX_EXACT_CHARACTERS) longNumbers = true;
      at = Math.abs(end) - 1;
    }
    at += 1;
  }
  return { members, longNumbers };
}

/** The place after the number that begins at `start`; negative when it has an exponent. */
function endOfNumber(text: string, start: number): number {
  let sign = 1;
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === LOWER_E || code === UPPER_E) sign = -1;
    else if (!(code >= PLUS && code <= NINE && code !== COMMA)) return at * sign;
    at += 1;
  }
}

/** The place of the quote that ends the string whose opening quote is at `start`. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < start + SHORT; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return endOfLongString(text, start);
}

function endOfLongString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** True when the quote at `end` is escaped: an odd number of backslashes stands before it. */
function isEscaped(text: string, end: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
