import { existsSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { loadShellParser, type ShellParser } from "../../src/commands/bash-grammar.ts";
import { openCommandRules } from "../../src/commands/index.ts";
import { readShellText } from "../../src/commands/read-shell-text.ts";
import { decideByRules, type StoredRule } from "../../src/index.ts";
import { campaignSize, choicesOf, type Choices } from "../campaign/random.ts";
import { corpus, shellCall } from "./corpus.ts";
import type { Word } from "../../src/commands/word.ts";
import { stubPrograms } from "./stub-programs.ts";

const covered = ["git", "ls", "cat", "grep", "wc", "head", "sort", "find", "npm"];
/** They only say how the rest is run; the stub says so and starts nothing. */
const wrappers = ["timeout", "nohup", "nice", "time", "env"];
const uncovered = [
  "rm",
  "id",
  "env",
  "sudo",
  "bash",
  "sh",
  "xargs",
  "x",
  "y",
  "EOF",
  "A",
  "a",
  "b",
  "1",
  "src",
];
const builtins = ["echo", "pwd", "true"];
const shells = ["/bin/sh", "/bin/bash"].filter((shell) => existsSync(shell));
const rules: readonly StoredRule[] = [...covered, ...builtins].map((name) => ({
  id: name,
  createdAt: 0,
  toolName: "spawn",
  effect: "allow",
  scope: "global",
  pattern: { command: { words: [name], rest: "any" } },
}));
const pieces =
  "rm id ; & | && || ( ) { } $ $( $X ` ' \" \\ < > << <<< >| 2>&1 EOF if then fi do done # * ? [ ] [a] A=1 x ! ~ = - -- %".split(
    " ",
  );
const all = [
  ...pieces,
  "\n",
  "\t",
  " ",
  " rm ",
  "; rm x",
  "\\\n",
  "$'",
  "{a,b}",
  "src/*",
  "sh -c ",
  "env ",
  "time ",
  "alias ",
];
const bases = corpus.groups.filter(({ verdict }) => verdict === "allow").flatMap((group) => group.commands);

/** A command that is allowed, with a few things put in or taken out. */
function mutatedFrom(texts: readonly string[], { below, pick }: Choices): string {
  let text = pick(texts).slice(0, 60);
  for (let count = below(4); count > 0; count -= 1) {
    const at = below(text.length + 1);
    text = text.slice(0, at) + pick(all) + text.slice(below(3) === 0 ? at + 1 : at);
  }
  return text;
}

const { seed, from, runs } = campaignSize(150);
const timeout = Math.max(60_000, runs * 200);
const stubs = stubPrograms([...covered, ...wrappers, ...uncovered]);
afterAll(() => stubs.remove());

// S13
describe("what the matcher allows, run by a real shell", () => {
  it.each(shells)("starts the programs that the rules name and no other: %s", { timeout }, async (shell) => {
    const commands = await openCommandRules({ gitMayRun: () => false });
    const parse = await loadShellParser();
    const names = new Set([...covered, ...wrappers]);
    const unread: unknown[] = [];
    let ran = 0;
    for (let index = from; index < from + runs * 40 && ran < runs; index += 1) {
      const source = mutatedFrom(bases, choicesOf(seed, index));
      if (decideByRules(rules, shellCall(source), { nowMs: 1, commands })?.effect !== "allow") continue;
      ran += 1;
      for (const call of stubs.run(shell, source)) {
        expect(names).toContain(call[0]);
        const read = commandsOf(source, parse);
        const isRead = read.some((words) => words.some((_, at) => isCall(words.slice(at), call)));
        if (!isRead) unread.push({ source, call });
      }
    }
    expect(unread).toEqual([]);
    expect(ran).toBe(runs);
  });

  it("is told from what it does not allow: the stubs do see what chaining starts", () => {
    expect(stubs.run("/bin/sh", "git status && rm -rf x; ls $(id)")).toEqual([
      ["git", "status"],
      ["rm", "-rf", "x"],
      ["id"],
      ["ls"],
    ]);
  });
});

const carriers = ["env", "sh", "bash", "xargs", "timeout", "nohup", "nice", "time", "setsid", "find"];
const open = stubPrograms(
  ["rm", "git", "ls", "echo", "cat", "id", "x", "y"],
  carriers.flatMap((name) => [`/usr/bin/${name}`]),
);
afterAll(() => open.remove());
const deniedBases = corpus.groups
  .filter(({ rules: set }) => set === "no rm")
  .flatMap((group) => group.commands)
  .filter((body) => body.length < 80);

// R3
describe("what no denial for rm stops, run by a real shell with real carriers", () => {
  it(
    "does not start rm",
    async () => {
      const commands = await openCommandRules({ gitMayRun: () => false });
      const denial = [
        { ...rules[0]!, id: "rm", effect: "deny", pattern: { command: { words: ["rm"] } } },
      ] as const;
      const started: string[] = [];
      let ran = 0;
      for (let index = from; index < from + runs * 400 && ran < runs; index += 1) {
        const source = mutatedFrom(deniedBases, choicesOf(seed, index));
        if (/\/|while|until/.test(source) || !/rm|\$|`|[*?{]|\\/.test(source)) continue;
        if (decideByRules(denial, shellCall(source), { nowMs: 1, commands })?.effect === "deny") continue;
        ran += 1;
        if (open.run("/bin/sh", source).some(([program]) => program === "rm")) started.push(source);
      }
      expect(started).toEqual([]);
      expect(ran).toBe(runs);
      expect(open.run("/bin/sh", "env xargs rm")).toEqual([["rm"]]);
    },
    timeout,
  );
});

/** True when a program was called with the words that were read; a glob stands for one word or more that begin as it does. */
function isCall(words: readonly Word[], call: readonly string[]): boolean {
  let at = 0;
  for (const { kind, text } of words) {
    if (kind === "literal") {
      if (call[at] !== text) return false;
      at += 1;
    } else {
      const end = call.findIndex((word, later) => later >= at && !word.startsWith(text));
      if (end === at || at >= call.length) return false;
      at = end === -1 ? call.length : end;
    }
  }
  return at === call.length;
}

function commandsOf(source: string, parse: ShellParser): readonly (readonly Word[])[] {
  return readShellText(source, parse).commands.map(({ words }) => words);
}
