import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { FailureCode } from "../../src/index.ts";
import { WAYS_IN_PROCESS } from "./ways-in-process.ts";
import { WAYS_OF_WORKERS } from "./ways-of-workers.ts";
import { WAYS_TO_END } from "./ways-to-end.ts";
import { waysToPrint } from "./ways-to-print.ts";
import { waysToStart } from "./ways-to-start.ts";

/** A way as the table or the matrix has it: what it is a way of, its failure, its name. */
interface Row {
  readonly of: "program" | "worker" | "host";
  readonly code: string;
  readonly name: string;
}

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const [, table = ""] = /<!-- broken guards -->\n([\s\S]*)<!-- \/broken guards -->/.exec(readme) ?? [];

/** What the columns after the failure are about. */
const COLUMNS: readonly (readonly Row["of"][])[] = [["program", "worker"], ["program"], ["worker"], ["host"]];

const listed: readonly Row[] = table
  .trim()
  .split("\n")
  .slice(2)
  .flatMap((line) => {
    const [code = "", ...cells] = line
      .replaceAll("`", "")
      .slice(2, -1)
      .split("|")
      .map((cell) => cell.trim());
    return COLUMNS.flatMap((kinds, at) =>
      kinds.flatMap((of) =>
        (cells[at] ?? "").split("; ").flatMap((name) => (name === "" ? [] : [{ of, code, name }])),
      ),
    );
  });

const rowsOf = (
  of: Row["of"],
  ways: readonly { readonly name: string; readonly codes: readonly FailureCode[] }[],
): readonly Row[] => ways.map(({ name, codes }) => ({ of, code: codes[0] ?? "", name }));

const tried: readonly Row[] = [
  ...rowsOf("program", [...waysToStart("process"), ...WAYS_TO_END, ...waysToPrint("process")]),
  ...rowsOf("worker", [...waysToStart("worker"), ...WAYS_OF_WORKERS, ...waysToPrint("worker")]),
  ...WAYS_IN_PROCESS.map(({ name, code }): Row => ({ of: "host", code, name })),
];

const words = (rows: readonly Row[]): readonly string[] =>
  rows.map(({ of, code, name }) => `${of}: ${code}: ${name}`).toSorted();

describe("the README's table of broken guards", () => {
  it("names every way that is tried, and none that is not", () => {
    expect(words(listed)).toEqual(words(tried));
  });

  it("names no way twice, and more than 48 for programs", () => {
    expect(new Set(words(listed)).size).toBe(listed.length);
    expect(listed.filter(({ of }) => of === "program").length).toBeGreaterThan(48);
  });
});
