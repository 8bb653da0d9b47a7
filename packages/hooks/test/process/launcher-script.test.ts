import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { launchLine, quoted, readReport, type LaunchOrder } from "../../src/process/launcher-script.ts";

const tools = { setsid: "/usr/bin/setsid", env: "/usr/bin/env", rm: "/bin/rm", mkfifo: "/usr/bin/mkfifo" };
const order = (
  env: Record<string, string>,
  program = "/bin/p",
  change: Partial<LaunchOrder> = {},
): LaunchOrder => ({
  id: 7,
  program: { program, args: ["a b"], cwd: "/w", env },
  stdin: "/d/7.in",
  stdout: "/d/7.out",
  stderr: "/d/7.err",
  ...change,
});

describe("launchLine", () => {
  it("is one compound command, so that a part of it runs nothing", () => {
    const line = launchLine(order({ A: "1" }), "plain", tools);
    expect(line).toMatch(/^\{ .*; \}\n$/s);
    expect(line).toContain(`A='1' '/usr/bin/setsid' '/bin/p' 'a b' <&4`);
    expect(launchLine(order({}, "/bin/p", { arePipes: true }), "plain", tools)).toMatch(
      /^\{ if '\/usr\/bin\/mkfifo'.*fi; \}\n$/s,
    );
  });

  it("takes back by env(1) what bash adds, and never shows a value among a command's words", () => {
    const form = (env: Record<string, string>) => launchLine(order(env), "bash", tools);
    expect(form({ A: "1" })).toContain(`A='1' '/usr/bin/setsid' '/usr/bin/env' -u _ -u SHLVL '/bin/p'`);
    expect(form({ SHLVL: "1" })).toContain(`'/usr/bin/env' -u _ 'SHLVL=1' '/bin/p'`);
  });

  it("is none for what a shell cannot be told exactly", () => {
    for (const one of [
      order({ "a.b": "1" }),
      order({ IFS: "x" }),
      order({ A: "\0" }),
      order({}, "p"),
      order({}, "/bin/\0"),
    ])
      expect(launchLine(one, "plain", tools)).toBeUndefined();
    expect(launchLine(order({ A: "1" }, "/x=y/p"), "bash", tools)).toBeUndefined();
    expect(launchLine(order({ A: "1" }, "/x=y/p"), "plain", tools)).toBeDefined();
  });
});

describe("quoted", () => {
  it("leaves nothing outside of quotes but escaped quotes", () => {
    fc.assert(
      fc.property(fc.string(), (word) => {
        const pieces = quoted(word).split(`'\\''`);
        expect(pieces.join("'")).toBe(`'${word}'`);
        expect(pieces.join("").slice(1, -1)).not.toContain("'");
      }),
    );
  });
});

describe("readReport", () => {
  it("reads what a launcher tells and nothing else", () => {
    expect(["plain", "p 1 20", "x 1 0 ", "x 1 137 86.05", "c 2 pipes", "f 3"].map(readReport)).toEqual([
      { kind: "ready", shell: "plain" },
      { kind: "started", id: 1, pid: 20 },
      { kind: "ended", id: 1, status: 0 },
      { kind: "ended", id: 1, status: 137, uptimeS: 86.05 },
      { kind: "not_started", id: 2, lacks: "pipes" },
      { kind: "pipes", id: 3 },
    ]);
    expect(["", "p 1", "x 1 0", "x 1 0 86", "c 2", "f 3 4", "q 1", "p -1 2"].map(readReport)).toEqual(
      Array(8).fill(undefined),
    );
  });
});
