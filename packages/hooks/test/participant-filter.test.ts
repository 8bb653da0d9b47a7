import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHookChain } from "../src/index.ts";
import { fromCall } from "../src/hook-request.ts";
import { matchesGlob, matchesTool, requestFilter } from "../src/participant-filter.ts";
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

/** The rule itself, one character after the other. */
function matchesPlainly(glob: string, text: string): boolean {
  if (glob === "") return text === "";
  const [head] = glob;
  if (head === "*")
    return matchesPlainly(glob.slice(1), text) || (text !== "" && matchesPlainly(glob, text.slice(1)));
  return text !== "" && (head === "?" || head === text[0]) && matchesPlainly(glob.slice(1), text.slice(1));
}

describe("a glob", () => {
  const globOf = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength });
  const textOf = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "b"), maxLength });

  it("agrees with a reference that tries everything", () => {
    // S39
    fc.assert(
      fc.property(globOf(8), textOf(10), (glob, text) => {
        expect(matchesGlob(glob, text)).toBe(matchesPlainly(glob, text));
      }),
      { numRuns: 5000 },
    );
  });

  it("takes characters as they are: line ends, any code unit, and what a pattern language would read", () => {
    expect(matchesGlob("a*b", "a\n\u2028b")).toBe(true);
    expect(matchesGlob("?", "é")).toBe(true);
    expect(matchesGlob("*\u{1f600}*", "x\u{1f600}y")).toBe(true);
    expect(matchesGlob("*[a-z]+(x)?\\*", "[a-z]+(x)!\\")).toBe(true);
    expect(matchesGlob("*[a-z]*", "b")).toBe(false);
  });

  const text = "a".repeat(8 * 1024 * 1024);
  it.each([
    ["many stars", `${"*a".repeat(250)}*b`, `${text}b`],
    ["one piece", "*aaaaaaaaaaab*", `${text}b`],
    ["a wild card", "*aaaaaaaaaa?b*", `${text}b`],
    ["a long piece that the text does not nearly repeat", `*${"ab".repeat(250)}*`, text + "ab".repeat(250)],
  ])("judges 8 MiB in time proportional to them, whatever the pattern: %s", (_what, glob, matching) => {
    // S39
    const started = performance.now();
    expect(matchesGlob(glob, text)).toBe(false);
    expect(matchesGlob(glob, matching)).toBe(true);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it.each([
    ["a long piece that the text all but repeats", `*${"a".repeat(509)}b*`],
    ["the same with a wild card", `*${"a".repeat(508)}?b*`],
  ])("gives up on what would take four thousand million steps, and then matches: %s", (_what, glob) => {
    // S39, S19
    const started = performance.now();
    expect(matchesGlob(glob, text)).toBe(true);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(matchesGlob(glob, "a".repeat(100))).toBe(false);
  });
});

describe("a filter on the input", () => {
  const matchesInput = (predicates: Record<string, string> | undefined, of: unknown) => {
    const inputJson = typeof of === "string" ? of : JSON.stringify(of);
    const request = fromCall("pre_tool_use", sampleCall({ inputJson }), { workspace: "/w" });
    return requestFilter({ input: predicates })?.(request) ?? true;
  };
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
