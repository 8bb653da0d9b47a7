import { systemClock } from "@basis/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createHookChain, type HookAnswer } from "../../src/index.ts";
import { hookParticipant, type CommandHost } from "../../src/node/hook-participant.ts";
import { readSpecs, type HookSpec } from "../../src/node/hook-spec.ts";
import { directRunner } from "../../src/process/program-runner.ts";
import { sampleCall } from "../../src/testing/index.ts";

const allow: HookAnswer = { decision: "allow" };
const hostWith = (maxRequestBytes: number): CommandHost => ({
  workspace: "/w",
  env: {},
  clock: systemClock,
  runner: directRunner(),
  maxRequestBytes,
  track: () => undefined,
});

/** A hook that is a program, without one: it notes the text it is asked with. */
function programHook(facts: Partial<HookSpec>, maxRequestBytes = 1e6, answer = allow) {
  const texts: string[] = [];
  const [settings] = readSpecs([{ name: "hook", command: ["x"], ...facts }], "");
  const ask = async (text: string): Promise<HookAnswer> => {
    texts.push(text);
    return answer;
  };
  const hook = hookParticipant(settings!, "workspace", { host: hostWith(maxRequestBytes), ask });
  return { hook, texts };
}

const chainOf = (...hooks: readonly ReturnType<typeof programHook>[]) =>
  createHookChain({ workspace: "/w", participants: hooks.map(({ hook }) => hook), report: () => undefined });

afterEach(() => void vi.restoreAllMocks());

describe("a request to programs", () => {
  it("is written once, however many are asked, and once more for each change", async () => {
    // S39
    const plain = Array.from({ length: 5 }, () => programHook({}));
    const writer = programHook({}, 1e6, { decision: "modify", input: { command: "ls -a" } });
    const after = Array.from({ length: 5 }, () => programHook({}));
    const written = vi.spyOn(JSON, "stringify");
    await chainOf(...plain).beforeCall(sampleCall());
    expect(written).toHaveBeenCalledTimes(1);
    written.mockClear();
    expect(await chainOf(...plain, writer, ...after).beforeCall(sampleCall())).toMatchObject({
      decision: "modify",
    });
    expect(written).toHaveBeenCalledTimes(2);
    expect(after.map(({ texts }) => JSON.parse(texts[0]!).input)).toEqual(
      after.map(() => ({ command: "ls -a" })),
    );
  });

  it.each(["deny", "allow"] as const)(
    "is refused beyond its limit, by a hook that fails to %s too: whoever makes the input could choose its size",
    async (on_failure) => {
      // S39
      const hook = programHook({ on_failure }, 300);
      const chain = chainOf(hook);
      const call = (length: number) =>
        sampleCall({ inputJson: JSON.stringify({ command: "x".repeat(length) }) });
      expect(await chain.beforeCall(call(300))).toEqual({
        decision: "deny",
        reason:
          "hook 'hook' could not answer and denies on failure: cannot be asked: the request is larger than 300 bytes",
      });
      expect(hook.texts).toEqual([]);
      expect(await chain.beforeCall(call(100))).toEqual({ decision: "allow" });
      expect(chain.trail.map(({ asked }) => asked[0]?.failure?.code)).toEqual([
        "request_too_large",
        undefined,
      ]);
    },
  );
});
