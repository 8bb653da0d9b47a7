import type { StrictParse } from "@basis/core";
import { isJsonValue } from "./json-value.ts";

/** True where every number of a document is the one that was written. */
export function keepsNumbers(parsed: StrictParse & { ok: true }, text: string): boolean {
  if (parsed.unsafeIntegers.length > 0) return false;
  return !parsed.longNumbers || (lostDigits(text).size === 0 && isJsonValue(parsed.value));
}

/** What can be a number with more digits than a double keeps; a text without it has none. */
const SUSPECT = /[\d.]{17}|\d[eE]/;
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const none: ReadonlySet<number> = new Set();

/**
 * The numbers of a JSON text that were written with digits which a double does not keep, each as the double that it is
 * read as: 0.1000000000000000055 is among them as 0.1, 0.1 is not. `text` is valid JSON.
 */
export function lostDigits(text: string): ReadonlySet<number> {
  if (!SUSPECT.test(text)) return none;
  const found = new Set<number>();
  for (const [literal] of text.matchAll(TEXT_OR_NUMBER)) {
    if (literal.startsWith('"') || !SUSPECT.test(literal)) continue;
    const read = Number(literal);
    const said = String(read);
    if (said !== literal && decimalText(literal) !== decimalText(said)) found.add(read);
  }
  return found;
}

/** A number's digits without zeros at either end, and the power of ten that the last one counts. */
function decimalText(literal: string): string {
  const [mantissa = "", power = "0"] = literal.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = stripZeros(digits);
  if (significant === "") return "0";
  const sign = mantissa.startsWith("-") ? "-" : "";
  return `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

function stripZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
