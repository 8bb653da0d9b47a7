import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHookChain } from "../src/index.ts";
import { matchesGlob, matchesInput, matchesTool } from "../src/participant-filter.ts";
import { sampleCall, scriptedHook } from "../src/testing/index.ts";

describe("matchesTool", () => {
  it("lets every tool through when there is no list, and none when it is empty", () => {
    // H45
    expect(matchesTool(undefined, "run")).toBe(true);
    expect(matchesTool([], "run")).toBe(false);
  });

  it("takes an entry for a name unless it holds * or ?", () => {
    expect(matchesTool(["run"], "run")).toBe(true);
    expect(matchesTool(["run"], "runner")).toBe(false);
    expect(matchesTool(["r.n"], "run")).toBe(false);
    expect(matchesTool(["write", "mcp_*"], "mcp_files")).toBe(true);
    expect(matchesTool(["r?n"], "run")).toBe(true);
    expect(matchesTool(["constructor"], "constructor")).toBe(true);
  });
});

describe("matchesGlob", () => {
  it("agrees with the regular expression that it stands for", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
    fc.assert(
      fc.property(letters, text, (pattern, subject) => {
        const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s");
        expect(matchesGlob(pattern, subject)).toBe(expression.test(subject));
      }),
      { numRuns: 2000 },
    );
  });

  it("takes no time that a hostile text could stretch", () => {
    expect(matchesGlob(`${"*a".repeat(50)}*b`, "a".repeat(5000))).toBe(false);
  });
});

describe("matchesInput", () => {
  const input = { command: "rm -rf /", n: 7, deep: { list: ["x", "y/z"] }, "a/b": "c" };

  it("matches the text at each pointer, all of them", () => {
    expect(matchesInput({ "/command": "rm *" }, input)).toBe(true);
    expect(matchesInput({ "/command": "ls*" }, input)).toBe(false);
    expect(matchesInput({ "/command": "rm *", "/n": "8" }, input)).toBe(false);
    expect(matchesInput({ "/n": "7", "/deep/list/1": "y*", "/a~1b": "c" }, input)).toBe(true);
    expect(matchesInput(undefined, input)).toBe(true);
  });

  it("does not match a field that is not there, an inherited one included", () => {
    expect(matchesInput({ "/path": "*" }, input)).toBe(false);
    expect(matchesInput({ "/constructor": "*" }, input)).toBe(false);
    expect(matchesInput({ "/command/length": "*" }, input)).toBe(false);
  });

  it("matches what it cannot judge", () => {
    // S19
    expect(matchesInput({ "/command": "ls" }, "not json")).toBe(true);
    expect(matchesInput({ "/deep": "x" }, input)).toBe(true);
    expect(matchesInput({ "/x": "null" }, { x: null })).toBe(true);
  });
});

describe("a chain's filters", () => {
  it("let a participant see only the tools and events it is for", async () => {
    // H45, H46
    const allow = { decision: "allow" } as const;
    const run = scriptedHook("run", [allow], { tools: ["run"] });
    const after = scriptedHook("after", [allow], { events: ["post_tool_use"] });
    const chain = createHookChain({ workspace: "/w", participants: [run, after] });
    for (const toolName of ["run", "write"]) await chain.beforeCall(sampleCall({ toolName }));
    expect([run.requests.length, after.requests.length]).toEqual([1, 0]);
    await chain.afterCall(sampleCall(), { output: "", isError: false });
    expect([run.requests.length, after.requests.length]).toEqual([1, 1]);
  });

  it("judge the input as it stands at the participant's turn", async () => {
    const writer = scriptedHook("writer", [{ decision: "modify", input: { command: "rm x" } }]);
    const guard = scriptedHook("guard", [{ decision: "deny" }], { input: { "/command": "rm *" } });
    const chain = createHookChain({ workspace: "/w", participants: [writer, guard] });
    expect(await chain.beforeCall(sampleCall())).toMatchObject({ decision: "deny" });
  });

  it("stay right for any number of made-up tool names", async () => {
    const guard = scriptedHook("guard", [{ decision: "deny" }], { tools: ["run"] });
    const chain = createHookChain({ workspace: "/w", participants: [guard], trailSize: 0 });
    for (let n = 0; n < 1500; n += 1) {
      expect(await chain.beforeCall(sampleCall({ toolName: `t${n}` }))).toEqual({ decision: "allow" });
    }
    expect(await chain.beforeCall(sampleCall())).toMatchObject({ decision: "deny" });
  });
});
