import { existsSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { loadShellParser, type ShellParser } from "../../src/commands/bash-grammar.ts";
import { openCommandRules } from "../../src/commands/index.ts";
import { readShellText } from "../../src/commands/read-shell-text.ts";
import { decideByRules, type StoredRule } from "../../src/index.ts";
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

/** A small generator of repeatable numbers below `limit`. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** A command that is allowed, with a few things put in or taken out. */
function mutated(random: (limit: number) => number): string {
  let text = bases[random(bases.length)]!.slice(0, 60);
  for (let count = random(4); count > 0; count -= 1) {
    const at = random(text.length + 1);
    text = text.slice(0, at) + all[random(all.length)] + text.slice(random(3) === 0 ? at + 1 : at);
  }
  return text;
}

const stubs = stubPrograms([...covered, ...wrappers, ...uncovered]);
afterAll(() => stubs.remove());

// S13
describe("what the matcher allows, run by a real shell", () => {
  it.each(shells)("starts the programs that the rules name and no other: %s", async (shell) => {
    const commands = await openCommandRules({ gitMayRun: () => false });
    const parse = await loadShellParser();
    const random = randomFrom(20_261_130);
    const names = new Set([...covered, ...wrappers]);
    const unread: unknown[] = [];
    let ran = 0;
    for (let tried = 0; tried < 6000 && ran < 250; tried += 1) {
      const source = mutated(random);
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
    expect(ran).toBeGreaterThanOrEqual(200);
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
