import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleCallFor } from "../../src/cli/sample-call.ts";
import { whyLeftOut } from "../../src/cli/why-left-out.ts";
import { listedHook } from "./support/listed-hook.ts";

const glob = fc.stringMatching(/^[a-c*?]{1,6}$/);
const facts = fc.record(
  {
    tools: fc.array(glob, { minLength: 1, maxLength: 3 }),
    effect: fc.subarray(["read", "write", "command"]),
    input: fc.dictionary(fc.constantFrom("/a", "/b/c", "/b/d", "/e~1f"), glob),
    event: fc.constantFrom("pre_tool_use", "post_tool_use"),
  },
  { requiredKeys: [] },
);

describe("sampleCallFor", () => {
  it("makes a call that the hook's filters let through", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { settings } = listedHook(given);
        const question = sampleCallFor(settings)!;
        const { event, call, input } = question;
        expect(whyLeftOut(settings, { event, ...call, input })).toBeUndefined();
        expect(question.result !== undefined).toBe(event === "post_tool_use");
      }),
    );
  });

  it("has none for a hook that is never asked", () => {
    expect(sampleCallFor(listedHook({ tools: [] }).settings)).toBeUndefined();
  });
});

describe("whyLeftOut", () => {
  const input = { command: "git push" };
  const call = { event: "pre_tool_use", toolName: "run", effect: "command", input } as const;
  it.each([
    [{ event: "post_tool_use" }, "it is for post_tool_use"],
    [{ tools: [] }, "never asked"],
    [{ tools: ["read", "mcp_*"] }, "its 'tools' are 'read', 'mcp_*'"],
    [{ effect: ["read", "write"] }, "its 'effect' is 'read', 'write', and the call's is 'command'"],
    [{ input: { "/command": "git *", "/cwd": "*" } }, "its 'input' asks for /cwd like '*'"],
  ])("says of %j: %s", (given, says) => {
    expect(whyLeftOut(listedHook(given).settings, call)).toContain(says);
  });

  it("says nothing of filters that let the call through", () => {
    const matching = { tools: ["r?n"], effect: ["command"], input: { "/command": "git *" } };
    for (const given of [matching, {}]) expect(whyLeftOut(listedHook(given).settings, call)).toBeUndefined();
    const unknown = { ...call, effect: undefined };
    expect(whyLeftOut(listedHook({ effect: ["read"] }).settings, unknown)).toBeUndefined();
  });
});
