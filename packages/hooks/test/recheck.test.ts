import { describe, expect, it } from "vitest";
import { createHookChain, type HookOutcome, type HookRequest, type Participant } from "../src/index.ts";
import { recordingInterceptor, sampleCall, scriptedHook } from "../src/testing/index.ts";

const allow = { decision: "allow" } as const;
const modify = (command: string) => ({ decision: "modify", input: { command } }) as const;
const commandOf = ({ input }: HookRequest) => (input as { command: string }).command;
const denyRm = (request: HookRequest) =>
  /rm/.test(commandOf(request)) ? ({ decision: "deny", reason: "no rm" } as const) : allow;
const chainOf = (...participants: readonly Participant[]) =>
  createHookChain({ workspace: "/w", participants, report: () => undefined });
const global = { rank: "global" } as const;

// H92, S1
describe("a rewrite by a participant of lower rank", () => {
  it("is judged by everybody of higher rank: a harmless call cannot be turned into a harmful one", () => {
    const guard = scriptedHook("guard", [denyRm, denyRm], global);
    const own = scriptedHook("own", [modify("rm -rf .")]);
    expect(chainOf(guard, own).beforeCall(sampleCall())).toEqual({
      decision: "deny",
      reason: "denied by hook 'guard': no rm",
    });
  });

  it("passes when everybody of higher rank allows it", () => {
    const guard = scriptedHook("guard", [denyRm, denyRm], global);
    const host = recordingInterceptor("host");
    const outcome = chainOf(host, guard, scriptedHook("own", [modify("ls -a")])).beforeCall(sampleCall());
    expect(outcome).toEqual({ decision: "modify", input: { command: "ls -a" }, reason: "hook 'own'" });
    expect(guard.requests.map(commandOf)).toEqual(["ls", "ls -a"]);
    expect(host.asked.map(({ mode }) => mode)).toEqual(["decide", "recheck"]);
  });

  it("asks an interceptor again after a global hook's rewrite, and no global hook", () => {
    const host = recordingInterceptor("host");
    const other = scriptedHook("other", [allow], global);
    const outcome = chainOf(host, other, scriptedHook("g", [modify("x")], global)).beforeCall(sampleCall());
    expect((outcome as HookOutcome).decision).toBe("modify");
    expect(host.asked).toHaveLength(2);
    expect(other.requests).toHaveLength(1);
  });

  it("is judged on the final input, whoever wrote it", () => {
    const guard = scriptedHook("guard", [denyRm, denyRm], global);
    void chainOf(guard, scriptedHook("a", [modify("rm x")]), scriptedHook("b", [modify("ls b")])).beforeCall(
      sampleCall(),
    );
    expect(guard.requests.map(commandOf)).toEqual(["ls", "ls b"]);
  });

  it.each([
    ["changes it again", modify("ls -b")],
    ["cannot answer, even if it fails open", new Error("x")],
  ])("is denied when a judge %s", (_what, answer) => {
    const guard = scriptedHook("guard", [allow, answer], { ...global, onFailure: "allow" });
    const outcome = chainOf(guard, scriptedHook("own", [modify("ls -a")])).beforeCall(sampleCall());
    expect((outcome as HookOutcome).decision).toBe("deny");
    expect(JSON.stringify(outcome)).toContain("guard");
  });

  it("is shown to those whose input filter left the old input out", () => {
    const watch = scriptedHook("watch", [{ decision: "deny" }], { input: { "/command": "rm *" } });
    const own = scriptedHook("own", [modify("rm x")]);
    expect(chainOf(watch, own).beforeCall(sampleCall())).toEqual({
      decision: "deny",
      reason: "denied by hook 'watch'",
    });
    const harmless = scriptedHook("own", [modify("ls x")]);
    expect((chainOf(watch, harmless).beforeCall(sampleCall()) as HookOutcome).decision).toBe("modify");
    expect(watch.requests).toHaveLength(1);
  });

  it("waits for judges that answer later", async () => {
    const slow = scriptedHook("slow", [async () => allow, async (request) => denyRm(request)], global);
    const outcome = await chainOf(slow, scriptedHook("own", [modify("rm x")])).beforeCall(sampleCall());
    expect(outcome).toMatchObject({ decision: "deny", reason: "denied by hook 'slow': no rm" });
  });

  it("does not ask a shadow participant again, which decides nothing", () => {
    const shadow = scriptedHook("shadow", [allow], { ...global, shadow: true });
    void chainOf(shadow, scriptedHook("own", [modify("x")])).beforeCall(sampleCall());
    expect(shadow.requests).toHaveLength(1);
  });
});

describe("a rewrite within one rank", () => {
  it("is not asked about again: a host's own guards trust each other's order", () => {
    const first = recordingInterceptor("first");
    const second = { name: "second", intercept: () => modify("x") };
    expect((chainOf(first, second).beforeCall(sampleCall()) as HookOutcome).decision).toBe("modify");
    expect(first.asked).toHaveLength(1);
  });
});
