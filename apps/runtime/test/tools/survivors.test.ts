import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hostOf, lineageOf, markGiven, markProgram, marksIn, ownMark } from "../../src/tools/lineage-mark.ts";
import { orphans, ownSurvivors } from "../../src/tools/survivors.ts";

let table: string;
beforeEach(() => {
  table = realpathSync(mkdtempSync(join(tmpdir(), "basis-proc-")));
});
afterEach(() => rmSync(table, { recursive: true }));

function program(pid: number, marks: string | undefined, words: readonly string[] = ["sleep", "9"]): void {
  mkdirSync(join(table, String(pid)));
  const entries = ["A=b", ...(marks === undefined ? [] : [`BASIS_LINEAGE=${marks}`])];
  writeFileSync(join(table, String(pid), "environ"), entries.map((entry) => `${entry}\0`).join(""));
  writeFileSync(join(table, String(pid), "cmdline"), words.map((word) => `${word}\0`).join(""));
}

const other = "7.0123456789ab";

it("a mark tells its host, and a host below another keeps the marks above its own", () => {
  expect(hostOf(ownMark)).toBe(process.pid);
  expect(["1", "", "7.xyz", "0.0123456789ab"].map(hostOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(marksIn(lineageOf({}))).toEqual([ownMark]);
  const below = lineageOf({ BASIS_LINEAGE: other });
  expect(marksIn(below)).toEqual([other, ownMark]);
  const [one, two] = [markProgram({ BASIS_LINEAGE: below }), markProgram({})];
  expect([one, two].map(({ mark }) => hostOf(mark))).toEqual([process.pid, process.pid]);
  expect(one.mark).not.toBe(two.mark);
  expect([one, two].map(({ lineage }) => marksIn(lineage))).toEqual([[other, one.mark], [two.mark]]);
});

it("own survivors have the own mark, wherever it stands; others' and unmarked programs are not named", async () => {
  markGiven();
  program(20, ownMark, ["node", "server.js", "x".repeat(300)]);
  program(21, `${other},${ownMark}`);
  program(22, `${ownMark}-3,${other}`);
  program(23, other);
  program(24, undefined);
  program(25, "1");
  program(26, `${ownMark}0`);
  const found = await ownSurvivors({ table });
  expect(found.map(({ pid }) => pid)).toEqual([20, 21, 22]);
  expect(found[0]!.command).toHaveLength(200);
  expect(found[2]!.host).toBe(7);
});

it("orphans are of hosts that are all gone", async () => {
  program(20, other);
  program(21, "9.0123456789ab");
  program(9, undefined, ["node", "basis"]);
  program(22, `${other},9.0123456789ab`);
  program(23, "1");
  expect((await orphans({ table })).map(({ pid }) => pid)).toEqual([20]);
});

it("where the platform has no such table, nothing is seen", async () => {
  markGiven();
  const nowhere = { table: join(table, "none") };
  expect(await ownSurvivors(nowhere)).toEqual([]);
  expect(await orphans(nowhere)).toEqual([]);
});
