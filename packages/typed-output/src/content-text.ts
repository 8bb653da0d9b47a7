import { canonicalJson } from "@basis/core";

/**
 * A text that is equal for equal JSON contents: the canonical form, or where there is none
 * (a lone surrogate) the form as written.
 */
export function contentText(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return JSON.stringify(value);
  }
}
