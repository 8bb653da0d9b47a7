import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { Terminal } from "./support/terminal.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const call = (name: string, input: Readonly<Record<string, string | string[]>>): string =>
  bench.script([{ text: "I try.", calls: [{ name, input }] }, { text: "that was it" }]);

const write = (path: string): string => call("write", { path, content: "new\n" });
const wrote = (path = "new.txt"): boolean => existsSync(join(bench.workspace, path));
const ask = "anything else refuses: ";
const askWhole = "Type yes to allow it, anything else to refuse: ";

describe("at a terminal, basis run", () => {
  it("streams what the model says once, with colours", async () => {
    const terminal = new Terminal(bench, ["run", "go on", "--model", bench.script([{ text: "the answer" }])]);
    expect(await terminal.ended).toBe(0);
    expect(terminal.output.split("the answer")).toHaveLength(2);
    expect(terminal.output).toContain("\u001B[2m");
  });

  it("uses no colours where NO_COLOR is set", async () => {
    const argv = ["run", "go on", "--model", bench.script([{ text: "the answer" }])];
    const terminal = new Terminal(bench, argv, { NO_COLOR: "1" });
    expect(await terminal.ended).toBe(0);
    expect(terminal.output).toContain("the answer");
    expect(terminal.output).not.toContain("\u001B[");
  });

  it("shows escape codes in what the model says instead of sending them", async () => {
    const argv = ["run", "go on", "--model", bench.script([{ text: "a\u001B]0;title\u0007b" }])];
    const terminal = new Terminal(bench, argv, { NO_COLOR: "1" });
    expect(await terminal.ended).toBe(0);
    expect(terminal.output).toContain("a\\u{1b}]0;title\\u{7}b");
  });

  it("shows how it is used when nothing is asked", async () => {
    const terminal = new Terminal(bench, []);
    expect(await terminal.ended).toBe(2);
    expect(terminal.output).toContain('basis "PROMPT"');
  });
});

// S12
describe("the question of an approval", () => {
  it("shows control, bidi and invisible characters of a path escaped, and yes allows it", async () => {
    const path = "safe\u202Etxt.\u001B[2K\u200Bexe";
    const terminal = new Terminal(bench, ["run", "go on", "--model", write(path)], { NO_COLOR: "1" });
    await terminal.saw(ask);
    expect(terminal.output).toContain("asks to use 'write' (local_state)");
    expect(terminal.output).toContain("path: safe\\u{202e}txt.\\u{1b}[2K\\u{200b}exe");
    expect(terminal.output).toMatch(/digest sha256:\w{16}…/);
    terminal.type("yes\r");
    expect(await terminal.ended).toBe(0);
    expect(wrote(path)).toBe(true);
    for (const raw of ["\u202E", "\u001B", "\u200B"]) expect(terminal.output).not.toContain(raw);
  });

  it.each([["no\r"], ["\r"], ["yess\r"], ["oui\r"]])("is refused by %j", async (keys) => {
    const terminal = new Terminal(bench, ["run", "go on", "--model", write("new.txt")]);
    await terminal.saw(ask);
    terminal.type(keys);
    expect(await terminal.ended).toBe(0);
    expect(wrote()).toBe(false);
    expect(terminal.output).toContain("that was it");
  });

  it.each([
    ["yes\r", true],
    ["y\r", false],
  ])("for a program takes the whole word: %j", async (keys, allowed) => {
    const argv = ["run", "go on", "--allow-run", "--model", call("run", { argv: ["touch", "new.txt"] })];
    const terminal = new Terminal(bench, argv);
    await terminal.saw(askWhole);
    terminal.type(keys);
    expect(await terminal.ended).toBe(0);
    expect(wrote()).toBe(allowed);
  });

  it.each([
    ["a whole line", "yes\r", ""],
    ["the beginning of a line", "ye", "s\r"],
  ])("is not answered by what was typed before it: %s", async (_name, before, after) => {
    const slow = `process.stdin.resume(); setTimeout(() => console.log('{"decision":"allow"}'), 2000);`;
    bench.hook("slow", slow, ["write"]);
    const terminal = new Terminal(bench, ["run", "go on", "--model", write("new.txt")]);
    await terminal.saw("I try.");
    terminal.type(before);
    await terminal.saw(ask);
    terminal.type(after === "" ? "no\r" : after);
    expect(await terminal.ended).toBe(0);
    expect(wrote()).toBe(false);
  });

  it("ends with 130 on Ctrl-C, and nothing was done", async () => {
    const terminal = new Terminal(bench, ["run", "go on", "--model", write("new.txt")]);
    await terminal.saw(ask);
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(130);
    expect(wrote()).toBe(false);
  });
});
