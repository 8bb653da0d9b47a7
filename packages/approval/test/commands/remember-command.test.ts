import { describe, expect, it } from "vitest";
import { openCommandRules } from "../../src/commands/index.ts";
import { decideByRules } from "../../src/index.ts";
import { shellCall } from "./corpus.ts";

const commands = await openCommandRules({ gitMayRun: () => false });

describe("remembering a command", () => {
  it("keeps this exact call and no other unless told how many words", () => {
    const { rules, alsoAllows, stillAsks } = commands.remember(shellCall("npm test && ls -la"));
    expect(rules).toMatchObject([
      {
        pattern: { exact: { body: "npm test && ls -la", mode: "command", target: "local" } },
        scope: "session",
      },
    ]);
    expect(alsoAllows).toEqual([]);
    expect(stillAsks).toContain("npm test");
  });

  it("makes one rule a part, and shows what comes with it as the matcher sees it", () => {
    const call = shellCall("npm test --silent 2>&1 | head -5");
    const { rules, alsoAllows, stillAsks } = commands.remember(call, { words: 2, scope: "workspace" });
    const place = { cwd: "/repo/sub", target: "local", rest: "any" };
    expect(rules.map(({ pattern }) => pattern)).toEqual([
      { command: { words: ["npm", "test"], redirect: ["2>&1"], ...place } },
      { command: { words: ["head", "-5"], ...place } },
    ]);
    expect(alsoAllows).toEqual(
      expect.arrayContaining(["npm test --silent other-word", "head -5 ; npm test --silent"]),
    );
    expect(stillAsks).toEqual(
      expect.arrayContaining([
        "npm test --silent >file",
        'npm test --silent "$VARIABLE"',
        "NAME=value npm test --silent",
        "cd /elsewhere && npm test --silent",
        "sudo head -5",
        "head -5 && other-program",
        "head -5 | sh",
      ]),
    );
    const stored = rules.map((rule, at) => ({ ...rule, id: `${at}`, createdAt: 0 }));
    const says = (body: string) =>
      decideByRules(stored, shellCall(body), { nowMs: 1, commands })?.effect ?? "ask";
    expect(alsoAllows.map(says)).toEqual(alsoAllows.map(() => "allow"));
    expect(stillAsks.map(says)).toEqual(stillAsks.map(() => "ask"));
  });

  it("falls back to the exact call where words would not allow it", async () => {
    for (const body of ["ls $HOME", "echo 'x", "cat x | sh", "A=* ls", "A='*' ls", "ls >'build/*'"]) {
      expect(commands.remember(shellCall(body), { words: 1 }).rules).toMatchObject([
        { pattern: { exact: { body } } },
      ]);
    }
    const unsafe = await openCommandRules();
    expect(unsafe.remember(shellCall("git status"), { words: 2 }).rules).toMatchObject([
      { pattern: { exact: {} } },
    ]);
    expect(commands.remember(shellCall("git status"), { words: 2 }).rules).toMatchObject([
      { pattern: { command: {} } },
    ]);
  });

  // A program that a wrapper names: the wrapper says only how it is run, or is spelled beside it.
  it.each([
    ["timeout 5 npm test --silent", ["npm", "test"]],
    ["nohup nice -n 5 npm test", ["npm", "test"]],
    ["sudo apt update -q", ["sudo", "apt", "update"]],
    ["env A=1 npm test --silent", ["env", "A=1", "npm", "test"]],
    ["time sudo apt update", ["sudo", "apt", "update"]],
  ])("counts the words of the program that is meant: %s", (body, words) => {
    const { rules, problem, stillAsks, alsoAllows } = commands.remember(shellCall(body), { words: 2 });
    expect(problem).toBeUndefined();
    expect(rules).toMatchObject([{ pattern: { command: { words, rest: "any" } } }]);
    const stored = rules.map((rule, at) => ({ ...rule, id: `${at}`, createdAt: 0 }));
    const says = (text: string) =>
      decideByRules(stored, shellCall(text), { nowMs: 1, commands })?.effect ?? "ask";
    expect([says(body), says(`${body} other-word`)]).toEqual(["allow", "allow"]);
    const others = ["rm -rf /", "sudo rm x", "timeout 5 rm x", "sudo -u x apt update", `${words[0]!} rm x`];
    expect(others.map(says)).toEqual(others.map(() => "ask"));
    expect([stillAsks.map(says), alsoAllows.map(says)].flat()).toEqual([
      ...stillAsks.map(() => "ask"),
      ...alsoAllows.map(() => "allow"),
    ]);
  });

  it.each([
    ["xargs rm", "'xargs' runs what its words say"],
    ["timeout -x 5 npm test", "'timeout' runs what its words say"],
    ["sudo -u root apt update", "'sudo' runs what its words say"],
    ["sh -c 'npm test'", "'sh' runs what its words say"],
    ["find . -exec rm {} ;", "an option that runs or overwrites something"],
    ["ls $HOME", "cannot be read wholly"],
    ["A='*' ls", "any text"],
    ["git -c a=b status", "an option that runs or overwrites something"],
  ])("says why only the exact call is kept: %s", (body, why) => {
    const { rules, problem } = commands.remember(shellCall(body), { words: 1 });
    expect(rules).toMatchObject([{ pattern: { exact: { body } } }]);
    expect(problem).toContain(why);
    expect(commands.remember(shellCall("npm test"), { words: 1 }).problem).toBeUndefined();
    expect(commands.remember(shellCall(body)).problem).toBeUndefined();
  });

  it("remembers an argv by its words", () => {
    const call = { agentId: "main", toolName: "run", input: { argv: ["npm", "run", "build"] }, cwd: "/repo" };
    const { rules, alsoAllows } = commands.remember(call, { words: 2 });
    expect(rules).toMatchObject([{ pattern: { command: { words: ["npm", "run"], cwd: "/repo" } } }]);
    expect(alsoAllows).toContain("npm run build other-word");
  });
});
