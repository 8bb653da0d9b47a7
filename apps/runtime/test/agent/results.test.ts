import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { cutResult, MAX_SHOWN_BYTES } from "../../src/agent/calls/cut-result.ts";
import { textOutcome, ToolFailure, type ToolOutcome } from "../../src/tools/tool.ts";
import { manualClock } from "@basis/core/testing";
import { probeTool, type ProbeOptions } from "../harness/probe-tool.ts";
import { calls, openTestHost, resultsOf, stateKinds, type TestHostOptions } from "../harness/test-host.ts";

async function runProbe(probed: ProbeOptions, options: TestHostOptions = {}) {
  const probe = probeTool("probe", probed);
  const agents = { main: [calls({ name: "probe", input: {}, id: "c1" }), { text: "done" }] };
  const host = await openTestHost({ agents, tools: [probe], ...options });
  const report = await host.run("go");
  const { sessionId } = report.transcript!;
  return {
    host,
    report,
    sessionId,
    result: resultsOf(await host.transcript(sessionId))["c1"] as { value: string },
  };
}

describe.each(stateKinds)("a tool's result, with the state in %s", (state) => {
  const long = `${"a".repeat(40_000)}€${"z".repeat(60_000)}`;

  test("beyond 64 kB is shown cut and kept whole", async () => {
    const { host, sessionId, result } = await runProbe({ run: () => textOutcome(long) }, { state });
    expect(Buffer.byteLength(result.value)).toBeLessThan(MAX_SHOWN_BYTES + 100);
    expect(result.value).toMatch(/^a+\n\[… \d+ of 100003 bytes left out …\]\nz+$/);
    const { digest } = await host.state.store.blobs.put(Buffer.from(long));
    expect(Buffer.from((await host.state.store.blobs.get(digest))!).toString()).toBe(long);
    expect(host.events.data("tool_completed", sessionId)[0]!.output).toBe(result.value);
  });

  test("of 64 kB is shown whole", async () => {
    const text = "x".repeat(MAX_SHOWN_BYTES);
    const { result } = await runProbe({ run: () => textOutcome(text) }, { state });
    expect(result.value).toBe(text);
  });

  test("with halves of characters in it is kept with marks in their place", async () => {
    const run = (): ToolOutcome => ({ output: { text: "a\ud800b", "k\udfff": "😀" }, isError: false });
    const { host, report, result } = await runProbe({ run }, { state });
    expect(report.outcome).toBe("completed");
    expect(result).toEqual({ type: "json", value: { text: "a\ufffdb", "k\ufffd": "😀" } });
    expect(host.events.data("tool_completed")[0]!.output).toEqual(result.value);
  });
});

test("a cut text never splits a character, and stays near its bound", () => {
  const texts = fc.string({ unit: "grapheme", minLength: 101, maxLength: 400 });
  const wellFormed = texts.filter((text) => !text.includes("\ufffd"));
  fc.assert(
    fc.property(wellFormed, fc.integer({ min: 8, max: 100 }), (text, max) => {
      const cut = cutResult(text, max);
      expect(cut).not.toContain("\ufffd");
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max + 60);
      const [head, tail] = cut.split(/\n\[… \d+ of \d+ bytes left out …\]\n/u);
      expect(text.startsWith(head!) && text.endsWith(tail!)).toBe(true);
    }),
  );
});

describe("a tool that fails", () => {
  const failing = (error: unknown): ProbeOptions => ({
    run: () => {
      throw error;
    },
  });

  test("in words meant for a model is answered with those words", async () => {
    const { host, result } = await runProbe(failing(new ToolFailure("'x' does not exist")));
    expect(result).toEqual({ type: "error-text", value: "'x' does not exist" });
    expect(host.events.data("error")).toEqual([]);
  });

  // S40
  test("in any other words is answered without them; they stand in the log", async () => {
    const secret = "connect ECONNREFUSED /run/secret.sock as admin";
    const { host, result, report } = await runProbe(failing(new Error(secret)));
    expect(report.outcome).toBe("completed");
    expect(result).toEqual({ type: "error-text", value: "'probe' failed inside the host; its log says why" });
    expect(host.events.data("error")).toMatchObject([{ tool_name: "probe", message: secret }]);
    expect(JSON.stringify(host.models.requests)).not.toContain("secret.sock");
  });
});

test("a tool beyond its deadline is stopped and said to be, and the turn goes on", async () => {
  const clock = manualClock();
  let stopped = false;
  const run = (_: unknown, { signal }: { signal: AbortSignal }): Promise<ToolOutcome> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        stopped = true;
        reject(signal.reason);
      });
      setImmediate(() => clock.advance(1000));
    });
  const { report, result } = await runProbe({ timeoutMs: 1000, run }, { clock });
  expect(stopped).toBe(true);
  expect(report.outcome).toBe("completed");
  expect(result.value).toBe("'probe' did not answer within 1000ms and was stopped");
});

test("a tool that does not listen when it is told to stop is given up after a while, and speaks no more", async () => {
  const clock = manualClock();
  const late: (() => void)[] = [];
  const run = (_: unknown, { progress }: { progress(text: string): void }): Promise<ToolOutcome> => {
    late.push(() => progress("still here"));
    setImmediate(() => {
      clock.advance(1000);
      setImmediate(() => clock.advance(5000));
    });
    return new Promise(() => undefined);
  };
  const onRequest = (): void => late[0]?.();
  const { host, result } = await runProbe({ timeoutMs: 1000, run }, { clock, onRequest });
  expect(result.value).toContain("was stopped");
  expect(host.models.requests).toHaveLength(2);
  expect(host.events.data("tool_progress")).toEqual([]);
});

test("a tool that the agent does not have is answered with those that it has", async () => {
  const agents = { main: [calls({ name: "constructor", input: {}, id: "c1" }), { text: "done" }] };
  const { result } = await runProbe({}, { agents });
  expect(result.value).toBe(
    "there is no tool 'constructor' for this agent; it has: list, probe, read, search, spawn, write",
  );
});
