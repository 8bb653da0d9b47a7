import { describe, expect, it } from "vitest";
import {
  createHookChain,
  HookError,
  shadow,
  type CallEffect,
  type HookCall,
  type Participant,
} from "../src/index.ts";
import { recordingInterceptor, sampleCall, scriptedHook } from "../src/testing/index.ts";

const allow = { decision: "allow" } as const;
const denies = () => ({ decision: "deny", reason: "no" }) as const;
const chainOf = (...participants: readonly Participant[]) =>
  createHookChain({ workspace: "/w", participants, report: () => undefined });
const decisionOf = async (chain: ReturnType<typeof chainOf>, call: HookCall) =>
  (await chain.beforeCall(call)).decision;

/** As a delegation tool says it: `!` starts a command. */
const spawnEffect = (input: unknown): CallEffect =>
  String((input as { command?: string }).command).startsWith("!") ? "command" : "delegate";

// S19
describe("a filter on what a call does", () => {
  const commands: Participant = { name: "no-commands", effect: ["command"], intercept: denies };

  it("names a command by every door it may go through", async () => {
    const chain = chainOf(commands);
    for (const toolName of ["run", "spawn", "mcp_shell_exec", "declared"]) {
      expect(await decisionOf(chain, sampleCall({ toolName, effect: "command" }))).toBe("deny");
      expect(await decisionOf(chain, sampleCall({ toolName, effect: "read" }))).toBe("allow");
    }
    expect(chain.trail.at(-1)?.notAsked).toEqual([
      { who: "interceptor 'no-commands'", name: "no-commands", why: "filtered" },
    ]);
  });

  it.each([
    ["is absent", {}],
    ["is a word that there is not", { effect: "commands" as never }],
    [
      "cannot be told",
      {
        effectOf: () => {
          throw new Error("x");
        },
      },
    ],
    ["is told as a word that there is not", { effectOf: () => "comand" as never }],
  ])("counts as a match when the effect %s, and the request then has none", async (_when, facts) => {
    const seen = recordingInterceptor("seen", { name: "seen", effect: ["command"], intercept: () => allow });
    const chain = chainOf(seen, commands);
    expect(await decisionOf(chain, sampleCall(facts))).toBe("deny");
    expect(seen.asked[0]?.request.effect).toBeUndefined();
  });

  it("stands beside tools and input: all must let the call through", async () => {
    const guard = { name: "g", tools: ["w*"], effect: ["write"], input: { "/command": "rm *" } } as const;
    const chain = chainOf({ ...guard, kind: "hook", rank: "global", intercept: denies });
    const write = (facts: Partial<HookCall>) => sampleCall({ toolName: "write", effect: "write", ...facts });
    const rm = JSON.stringify({ command: "rm x" });
    expect(await decisionOf(chain, write({ inputJson: rm }))).toBe("deny");
    expect(await decisionOf(chain, write({ inputJson: rm, effect: "read" }))).toBe("allow");
    expect(await decisionOf(chain, write({ inputJson: rm, toolName: "run" }))).toBe("allow");
    expect(await decisionOf(chain, write({}))).toBe("allow");
  });

  it("holds after the call too, and in a guard's shadow", async () => {
    const after = recordingInterceptor("after", {
      name: "after",
      effect: ["write"],
      events: ["post_tool_use"],
      intercept: denies,
    });
    const chain = chainOf(after, shadow(commands));
    const result = { output: "", isError: false };
    expect((await chain.afterCall(sampleCall({ effect: "read" }), result)).decision).toBe("allow");
    expect((await chain.afterCall(sampleCall({ effect: "write" }), result)).decision).toBe("deny");
    await chain.beforeCall(sampleCall({ effect: "read" }));
    expect(chain.trail.at(-1)?.asked).toEqual([]);
    expect(await decisionOf(chain, sampleCall({ effect: "command" }))).toBe("allow");
    expect(chain.trail.at(-1)?.asked).toMatchObject([{ shadow: true, decision: "deny" }]);
  });

  it("judges the effect of the input as it stands at the participant's turn", async () => {
    // S1
    const writer = scriptedHook("writer", [{ decision: "modify", input: { command: "!rm" } }]);
    const later = { kind: "hook", rank: "workspace", ...commands } as const;
    const call = sampleCall({ effectOf: spawnEffect });
    expect(await decisionOf(chainOf(later), call)).toBe("allow");
    expect(await decisionOf(chainOf(writer, later), call)).toBe("deny");
  });

  it("asks a guard again whom the old input's effect had left out", async () => {
    // S1, H92
    const call = sampleCall({ effectOf: spawnEffect });
    const guard = recordingInterceptor("guard", { ...commands, intercept: denies });
    const rewrite = (command: string) => scriptedHook("own", [{ decision: "modify", input: { command } }]);
    const chain = chainOf(guard, rewrite("!rm"));
    expect(await chain.beforeCall(call)).toEqual({
      decision: "deny",
      reason: "denied by interceptor 'guard': no",
    });
    expect(guard.asked).toMatchObject([{ mode: "recheck", request: { effect: "command" } }]);
    expect(await decisionOf(chainOf(commands, rewrite("tidy up")), call)).toBe("modify");
  });

  it("counts as a match when nobody knows the effect of a rewrite, whatever the old input did", async () => {
    const effectOf = (input: unknown) =>
      (input as { command: string }).command === "ls" ? "read" : undefined;
    const chain = chainOf(commands, scriptedHook("own", [{ decision: "modify", input: { command: "?" } }]));
    expect(await decisionOf(chain, sampleCall({ effectOf }))).toBe("deny");
  });

  it("is refused when it names what there is not", () => {
    const broken = { name: "g", effect: ["comand"], intercept: denies } as never;
    expect(() => chainOf(broken)).toThrow(HookError);
    expect(() => chainOf(broken)).toThrow("'g' names 'comand'; there are read, write");
  });

  it("is listed with the participant", () => {
    expect(chainOf(commands).participants[0]?.effect).toEqual(["command"]);
  });
});
