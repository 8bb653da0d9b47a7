import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasAgentAbove } from "../../src/approvals/lineage.ts";

let place: string;
let table: string;
let program: string;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "basis-lineage-")));
  table = join(place, "proc");
  program = join(place, "main.js");
  mkdirSync(table);
  writeFileSync(program, "");
});
afterEach(() => rmSync(place, { recursive: true }));

interface Facts {
  readonly above?: number;
  readonly argv?: readonly string[];
  readonly env?: readonly string[];
  readonly cwd?: string;
}

function process(pid: number, { above = 0, argv = ["sh"], env = [], cwd = "/" }: Facts): void {
  const at = join(table, String(pid));
  mkdirSync(at);
  writeFileSync(join(at, "status"), `Name:\tx\nPid:\t${pid}\nPPid:\t${above}\nUid:\t1\n`);
  writeFileSync(join(at, "cmdline"), argv.map((word) => `${word}\0`).join(""));
  writeFileSync(join(at, "environ"), env.map((entry) => `${entry}\0`).join(""));
  symlinkSync(cwd, join(at, "cwd"));
}

const isBelow = (parent: number): boolean => hasAgentAbove({ table, parent, program });

// S6
describe("the processes above", () => {
  it("show a mark and nothing that only begins or ends as one", () => {
    process(7, { env: ["PATH=/bin", "BASIS_LINEAGE=1"] });
    process(8, { env: ["BASIS_LINEAGE_OF_MINE=1", "MY_BASIS_LINEAGE=1", "X=BASIS_LINEAGE=1"] });
    expect([7, 8].map(isBelow)).toEqual([true, false]);
  });

  it("show a host by the file of its program, wherever its words are read from", () => {
    symlinkSync(program, join(place, "basis"));
    process(2, { argv: ["node", "main.js"], cwd: place });
    process(3, { argv: ["node", "main.js"], cwd: table });
    process(4, { argv: ["node", "--no-warnings", join(place, "basis"), "serve"] });
    process(5, { argv: [program] });
    expect([2, 3, 4, 5].map(isBelow)).toEqual([true, false, true, false]);
  });

  it("are no host where they only start the program that they name: timeout, sudo, xargs", () => {
    const named = (pid: number, argv: readonly string[], exe?: string): void => {
      process(pid, { argv });
      if (exe !== undefined) symlinkSync(exe, join(table, String(pid), "exe"));
    };
    named(2, ["timeout", "60", program, "run"], "/usr/bin/timeout");
    named(3, ["node", program, "serve"], "/usr/bin/node");
    named(4, ["my-own", program, "serve"], globalThis.process.execPath);
    named(5, ["timeout", "60", program, "run"]);
    process(6, { argv: ["timeout", "60", program], env: ["BASIS_LINEAGE=1"] });
    symlinkSync("/usr/bin/timeout", join(table, "6", "exe"));
    expect([2, 3, 4, 5, 6].map(isBelow)).toEqual([false, true, true, true, true]);
  });

  it("are looked at up to the first one, which in a container may be the host", () => {
    process(1, { argv: ["node", program, "serve"] });
    process(9, { above: 1 });
    expect(isBelow(9)).toBe(true);
  });

  it("are a person's where none shows anything, or none can be seen", () => {
    process(1, { argv: ["init"] });
    process(9, { above: 1 });
    expect([9, 1, 77, 0].map(isBelow)).toEqual([false, false, false, false]);
  });

  it("are no person's where there are more of them than are looked at", () => {
    const first = 1000;
    const chain = (length: number): number => {
      for (let at = 0; at < length; at += 1) process(first + at, { above: at === 0 ? 0 : first + at - 1 });
      return first + length - 1;
    };
    const deepest = chain(256);
    expect(isBelow(deepest)).toBe(false);
    process(5000, { above: deepest });
    expect(isBelow(5000)).toBe(true);
  });
});
