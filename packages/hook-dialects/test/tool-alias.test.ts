import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "@basis/core";
import { claude } from "../src/bridge/claude.ts";
import { matchesClaude, mayMatchRule } from "../src/bridge/matcher.ts";
import { RUNTIME_TOOLS, viewTool } from "../src/bridge/tool-alias.ts";

const view = (toolName: string, toolSource?: string) =>
  viewTool(claude.tools, RUNTIME_TOOLS, { toolName, toolSource, workspace: "/repo" });

describe("a tool as Claude's hooks see it", () => {
  it("has Claude's name, fields and absolute paths, and comes back as it was", () => {
    const read = view("read");
    expect(read.name).toBe("Read");
    expect(read.show({ path: "a/.env", from: 2 })).toEqual({ file_path: "/repo/a/.env", from: 2 });
    expect(read.restore({ file_path: "/repo/a/.env" }, { path: "a/.env" })).toEqual({ path: "a/.env" });
    expect(read.restore({ file_path: "/repo/b" }, { path: "a" })).toEqual({ path: "/repo/b" });
  });

  it("shows where a path leads, so that a look at how it begins means something", () => {
    const { show } = view("read");
    expect(show({ path: "../../etc/passwd" })).toEqual({ file_path: "/etc/passwd" });
    expect(show({ path: "/repo/../etc/./passwd" })).toEqual({ file_path: "/etc/passwd" });
    expect(show({ path: "a/../b" })).toEqual({ file_path: "/repo/b" });
    expect(view("list").show({ path: "." })).toEqual({ path: "/repo" });
    expect(show({ path: String.raw`C:\x` })).toEqual({ file_path: String.raw`C:\x` });
  });

  it("shows what the tool reads, whatever field of the vendor's name stands beside it", () => {
    const expected = { file_path: "/etc/passwd" };
    expect(view("read").show({ path: "/etc/passwd", file_path: "safe" })).toEqual(expected);
    expect(view("read").show({ file_path: "safe", path: "/etc/passwd" })).toEqual(expected);
    expect(view("run").show({ argv: ["rm", "x"], command: "ls" })).toEqual({ command: "rm x" });
    expect(view("read").show({ file_path: "alone" })).toEqual({ file_path: "/repo/alone" });
  });

  it("shows words as a shell's line, and takes a line back", () => {
    const run = view("run");
    const input = { argv: ["git", "commit", "-m", "it's"] };
    expect(run.show(input)).toEqual({ command: "git commit -m 'it'\\''s'" });
    expect(run.restore({ command: "git commit -m 'it'\\''s'" }, input)).toEqual(input);
    expect(run.restore({ command: "rtk ls" }, input)).toEqual({ argv: ["/bin/sh", "-c", "rtk ls"] });
  });

  it("keeps the name of a tool without an alias, and spells a server's tool", () => {
    expect(view("deploy").name).toBe("deploy");
    expect(view("constructor").name).toBe("constructor");
    expect(view("mcp__github__merge", "mcp:github").name).toBe("mcp__github__merge");
    expect(view("read", "mcp:files").name).toBe("mcp__files__read");
    const spelled = ["mcp__my.server__get it", "mcp__my_server__get_it"];
    expect(view("get it", "mcp:my.server").names).toEqual(spelled);
  });

  it("restores every input that a hook left as it was", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()), fc.constant(null));
    const field = fc.constantFrom("path", "argv", "content", "text", "other");
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(RUNTIME_TOOLS)),
        fc.dictionary(field, value),
        (tool, input) => {
          const seen = view(tool);
          expect(seen.restore(seen.show(input as JsonObject) as JsonObject, input as JsonObject)).toEqual({
            ...input,
          });
        },
      ),
    );
  });
});

describe("a matcher of Claude", () => {
  it.each([
    ["", "Bash", true],
    ["*", "Bash", true],
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["Edit, Write", "Write", true],
    ["Edit|Write", "Write", true],
    ["mcp__git-hub", "mcp__git-hub__merge", false],
    ["mcp__.*", "mcp__a__b", true],
    ["Notebook.*", "xNotebookEdit", true],
    ["^Bash$", "BashOutput", false],
  ])("'%s' against %s: %s", (matcher, name, expected) => {
    expect(matchesClaude(matcher, [name])).toBe(expected);
  });

  it("a rule that may be meant is taken to be", () => {
    expect(mayMatchRule("Bash(git commit:*)", ["Bash"], "cd x && git commit -m y")).toBe(true);
    expect(mayMatchRule("Bash(git commit:*)", ["Bash"], "ls")).toBe(false);
    for (const command of ["git  commit", "git\tcommit", `g"i"t com\\mit`, "git -C . commit", "$X", "g?t x"])
      expect(mayMatchRule("Bash(git commit:*)", ["Bash"], command)).toBe(true);
    expect(mayMatchRule("Bash", ["Bash"], "ls")).toBe(true);
    expect(mayMatchRule("Edit(src/**)", ["Edit"], undefined)).toBe(true);
    expect(mayMatchRule("Edit(src/**)", ["Bash"], "ls")).toBe(false);
  });
});
