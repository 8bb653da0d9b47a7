import { expect } from "vitest";

/** What a command line that ended with `code` and printed nothing on standard output looks like; `texts` stand on standard error. */
export function refused(code: number, ...texts: readonly (string | RegExp)[]): object {
  const sources = texts.map((text) =>
    typeof text === "string" ? text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&") : text.source,
  );
  const all = new RegExp(sources.map((source) => `(?=[^]*${source})`).join(""));
  return { code, stdout: "", stderr: expect.stringMatching(all) };
}
