import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ChildPolicyError,
  ChildSpec,
  parseSpawn,
  planChild,
  SpawnInputError,
  spawnDescription,
  spawnPreview,
} from "../src/index.ts";
import { parent } from "./fixtures.ts";

const grammar = { targets: ["build-box", "gpu_1"] };
const parse = (input: string) => parseSpawn({ input }, grammar);
const here = (body: string) => ({ mode: "command", body, target: "local" });
const task = (body: string) => ({ mode: "agent", body, target: "local" });

describe("parseSpawn", () => {
  it.each([
    ["find the bug", task("find the bug")], // C31
    ["  find\n the bug \n", task("find\n the bug")],
    ["@build-box ls", task("@build-box ls")],
    ["wow! nice", task("wow! nice")],
    ["!ls -la", here("ls -la")], // C32
    ["  !ls  ", here("ls")],
    ["! ls", here("ls")],
    ["!git log !@x", here("git log !@x")],
    ["!a\nb", here("a\nb")],
    ["!@build-box make all", { mode: "command", body: "make all", target: "build-box" }], // C33
    ["!@gpu_1\tnvidia-smi", { mode: "command", body: "nvidia-smi", target: "gpu_1" }],
    ["!@gpu_1   a  b", { mode: "command", body: "a  b", target: "gpu_1" }],
    ["!!important: fix it", task("!important: fix it")], // C34
    ["!!!loud", task("!!loud")],
    ["!!@build-box", task("!@build-box")],
    ["!! spaced", task("! spaced")],
  ])("reads %j", (input, call) => {
    expect(parse(input)).toEqual(call);
  });

  // C35, C36, C37
  it.each([
    ["", "empty", "write the task"],
    [" \n ", "empty", "write the task"],
    ["!", "empty_command", "!ls"],
    ["!!", "empty_task", "!!task"],
    ["!@build-box", "empty_command", "!@build-box ls"],
    ["!@build-box  ", "empty_command", "!@build-box ls"],
    ["!@", "bad_target_name", "!@name ls"],
    ["!@ ls", "bad_target_name", "!@name ls"],
    ["!@build/box ls", "bad_target_name", "letters, digits, _ and -"],
    ["!@bücher ls", "bad_target_name", "letters, digits, _ and -"],
    ["!@local ls", "reserved_target", "!command"],
    ["!@nowhere ls", "unknown_target", "!@build-box, !@gpu_1"],
    ["!@constructor ls", "unknown_target", "!@build-box, !@gpu_1"],
  ])("refuses %j and teaches the form that works", (input, problem, lesson) => {
    expect(() => parse(input)).toThrow(SpawnInputError);
    expect(() => parse(input)).toThrow(
      expect.objectContaining({
        code: "spawn_input",
        details: { problem },
        message: expect.stringContaining(lesson),
      }),
    );
  });

  it("says that there are no targets where none are registered", () => {
    const error = expect.objectContaining({ details: { problem: "no_targets" } });
    expect(() => parseSpawn({ input: "!@build-box ls" })).toThrow(error);
    expect(() => parseSpawn({ input: "!@build-box ls" }, { targets: [] })).toThrow(error);
  });

  // C53
  it("still delegates where commands are off", () => {
    const off = { ...grammar, commands: false };
    expect(parseSpawn({ input: "find the bug" }, off)).toEqual(task("find the bug"));
    expect(parseSpawn({ input: "!!ls" }, off)).toEqual(task("!ls"));
    for (const input of ["!ls", "!@build-box ls"]) {
      expect(() => parseSpawn({ input }, off)).toThrow(
        expect.objectContaining({ details: { problem: "commands_off" } }),
      );
    }
  });

  it.each([[undefined], [null], [7], [{}], [{ input: 7 }], [["ls"]], [Object.create({ input: "ls" })]])(
    "refuses arguments that hold no text: %j",
    (args) => {
      expect(() => parseSpawn(args, grammar)).toThrow(
        expect.objectContaining({ details: { problem: "not_text" } }),
      );
    },
  );

  it("takes a bare text as the input", () => {
    expect(parseSpawn("!ls", grammar)).toEqual(here("ls"));
  });

  it.each([["local"], [""], ["a b"], ["a/b"]])("refuses a host's target name %j", (name) => {
    expect(() => parseSpawn({ input: "x" }, { targets: [name] })).toThrow(
      expect.objectContaining({ code: "invalid_option" }),
    );
  });

  it("takes every text to a call or to a lesson, and every call back to itself", () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom("!", "!!", "!@", "!@gpu_1 ", " !"), fc.string())
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (input) => {
        const call = attempt(input);
        fc.pre(call !== undefined);
        const written = call.mode === "agent" ? call.body.replace(/^!/, "!!") : writtenCommand(call);
        expect(parse(written)).toEqual(call);
        expect(call.body.trim()).not.toBe("");
      }),
    );
  });
});

function attempt(input: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(input);
  } catch (error) {
    if (!(error instanceof SpawnInputError)) throw error;
    return undefined;
  }
}

function writtenCommand({ body, target }: { body: string; target: string }): string {
  return target === "local" ? `! ${body}` : `!@${target} ${body}`;
}

describe("spawnPreview", () => {
  const inherited = planChild(parent, ChildSpec.inherit());
  const replaced = planChild(parent, ChildSpec.inherit().withSystem("x"));

  // C1
  it("has exactly body, cwd, mode and target unless a policy overrides something", () => {
    expect(JSON.stringify(spawnPreview(parse("find it"), { cwd: "/repo" }))).toBe(
      '{"body":"find it","cwd":"/repo","mode":"agent","target":"local"}',
    );
    expect(spawnPreview(parse("find it"), { cwd: "/repo", plan: inherited })).toEqual(
      spawnPreview(parse("find it"), { cwd: "/repo" }),
    );
    expect(JSON.stringify(spawnPreview(parse("find it"), { cwd: "/repo", plan: replaced }))).toBe(
      '{"body":"find it","child":{"system":"replaced"},"cwd":"/repo","mode":"agent","target":"local"}',
    );
  });

  // C5
  it("of a command has no child, whatever plan is there", () => {
    expect(spawnPreview(parse("!@gpu_1 ls"), { cwd: "/repo", plan: replaced })).toEqual({
      body: "ls",
      cwd: "/repo",
      mode: "command",
      target: "gpu_1",
    });
  });
});

// C38
describe("spawnDescription", () => {
  it("is the same bytes whatever the order of the targets", () => {
    const orders = [
      ["a", "b", "c"],
      ["c", "a", "b"],
      ["b", "b", "c", "a"],
    ];
    expect(new Set(orders.map((targets) => spawnDescription({ targets }))).size).toBe(1);
    expect(spawnDescription({ targets: ["b", "a"] })).toContain("a, b");
  });

  it.each([
    [{}, false, true],
    [{ targets: [] }, false, true],
    [{ targets: ["a"] }, true, true],
    [{ targets: ["a"], commands: false }, false, false],
  ])("of %j speaks of targets: %s, of commands: %s", (given, targets, commands) => {
    expect(spawnDescription(given).includes("!@")).toBe(targets);
    expect(spawnDescription(given).includes("`!command`")).toBe(commands);
    expect(spawnDescription(given)).toContain("!!task");
  });

  it("refuses a name that a model could not write", () => {
    expect(() => spawnDescription({ targets: ["a b"] })).toThrow(ChildPolicyError);
  });
});
