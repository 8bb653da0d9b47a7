import { describe, expect, it } from "vitest";
import { createHookChain, type Participant } from "../src/index.ts";
import { recordingInterceptor, sampleCall, scriptedHook } from "../src/testing/index.ts";

const post = { events: ["post_tool_use"] } as const;
const chainOf = (participants: readonly Participant[], maxRequestBytes?: number) =>
  createHookChain({ workspace: "/w", participants, maxRequestBytes, report: () => undefined });

describe("a chain after the call", () => {
  it("shows each participant its predecessors' output and flag", () => {
    // H30, H14
    const a = scriptedHook("a", [{ decision: "replace", output: { n: 1 }, isError: true }], post);
    const b = scriptedHook("b", [{ decision: "replace", output: "two" }], post);
    const outcome = chainOf([a, b]).afterCall(sampleCall(), { output: "raw", isError: false });
    expect(b.requests[0]).toMatchObject({ output: { n: 1 }, isError: true });
    expect(outcome).toEqual({
      decision: "replace",
      output: "two",
      isError: true,
      reason: "hook 'a'; hook 'b'",
    });
  });

  it("keeps reasons apart from the output that the model is shown", () => {
    // H31
    const redact = scriptedHook("r", [{ decision: "replace", output: "[gone]", reason: "had a key" }], post);
    const outcome = chainOf([redact]).afterCall(sampleCall(), { output: "key=1", isError: false });
    expect(outcome).toMatchObject({ output: "[gone]", reason: "hook 'r': had a key" });
    expect(JSON.stringify((outcome as { output: unknown }).output)).not.toContain("had a key");
  });

  it("keeps the result on allow and replaces it by the reason's error on deny", () => {
    const result = { output: "x", isError: false };
    expect(
      chainOf([scriptedHook("a", [{ decision: "allow" }], post)]).afterCall(sampleCall(), result),
    ).toEqual({
      decision: "allow",
    });
    const denying = chainOf([scriptedHook("a", [{ decision: "deny", reason: "leak" }], post)]);
    expect(denying.afterCall(sampleCall(), result)).toEqual({
      decision: "deny",
      reason: "denied by hook 'a': leak",
    });
  });

  it("is asked on error results, with the input that ran", () => {
    const seen = recordingInterceptor("seen");
    void chainOf([seen]).afterCall(sampleCall({ inputJson: '{"command":"final"}' }), {
      output: "no",
      isError: true,
    });
    expect(seen.asked[0]).toMatchObject({
      method: "review",
      request: { event: "post_tool_use", input: { command: "final" }, output: "no", isError: true },
    });
  });

  it("denies what is larger than participants are asked with, before and after", () => {
    const guards = [recordingInterceptor("g")];
    const big = sampleCall({ inputJson: JSON.stringify({ text: "é".repeat(600) }) });
    const chain = chainOf(guards, 1000);
    expect(chain.beforeCall(big)).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("larger than 1000 bytes"),
    });
    expect(
      chain.afterCall(sampleCall(), { output: "x".repeat(1001), isError: false }).valueOf(),
    ).toMatchObject({
      decision: "deny",
    });
    expect(chain.afterCall(sampleCall(), { output: ["x".repeat(990)], isError: false })).toEqual({
      decision: "allow",
    });
    expect(chainOf(guards, 2000).beforeCall(big)).toEqual({ decision: "allow" });
    expect(chainOf([], 1000).beforeCall(big)).toEqual({ decision: "allow" });
  });
});
