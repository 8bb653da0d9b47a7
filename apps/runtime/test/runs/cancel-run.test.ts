import { once } from "node:events";
import { systemClock, type Clock } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import { describe, expect, it, vi } from "vitest";
import { SessionWriter } from "../../src/agent/transcript/session-writer.ts";
import { untoldChanges } from "../../src/store/changes.ts";
import { CancelWatch } from "../../src/agent/turn/cancel-watch.ts";
import { cancelRun } from "../../src/runs/cancel-run.ts";
import { runsUnderWay } from "../../src/runs/find-run.ts";
import { RunWatch } from "../../src/runs/run-watch.ts";
import { memoryState } from "../../src/store/open-state.ts";
import { readProbe } from "../harness/probe-tool.ts";
import { calls, openTestHost, stateKinds } from "../harness/test-host.ts";

const never = new AbortController().signal;

describe.each(stateKinds)("a run that is cancelled by way of the store (%s)", (state) => {
  it("is rolled back by whoever runs it, its child with it; the session goes on", async () => {
    let cancelled: ReturnType<typeof cancelRun> | undefined;
    const host = await openTestHost({
      state,
      agents: {
        main: [calls({ name: "spawn", input: { input: "look" } }), { text: "never" }],
        child: [calls({ name: "probe", input: {} }), { text: "never" }],
      },
      tools: [readProbe("probe", { run: (_input, { signal }) => cancelAndWait(signal) })],
    });
    const cancelAndWait = async (signal: AbortSignal): Promise<never> => {
      const [place] = await runsUnderWay(host.state.store);
      cancelled = cancelRun(host.state, place!, { signal: never, waiting: () => undefined });
      await once(signal, "abort");
      throw signal.reason;
    };
    const report = await host.run("go");
    expect(report.outcome).toBe("cancelled");
    expect(await cancelled).toEqual({ kind: "cancelled", by: "its process" });
    const ends = host.events.data("run_finished").map(({ status }) => status);
    expect(ends).toEqual(["cancelled", "cancelled"]);
    expect(await host.state.ledger.cancels.asked()).toEqual([]);
  });

  it("whose process is gone is rolled back here, behind what was delivered to it", async () => {
    const host = await openTestHost({ state, agents: { main: [{ text: "one" }] } });
    const { transcript } = await host.run("first");
    const session = transcript!.sessionId;
    const writer = await SessionWriter.open(host.state.store, session, { clock: systemClock });
    const turn = { turnId: "dead", runTurn: "dead" };
    await writer.append([{ role: "user", content: "delivered" }], turn);
    await writer.append([{ role: "user", content: "prompt" }], turn);
    const call = { type: "tool-call" as const, toolCallId: "c1", toolName: "write", input: {} };
    await writer.append([{ role: "assistant", content: [call] }], turn);
    await writer.close();
    const { expiresAt } = await host.state.store.acquireLease(session, { owner: "elsewhere:1:x", ttlMs: 1 });
    while (Date.now() <= expiresAt) await new Promise((resolve) => setTimeout(resolve, 5));
    const place = { session, run: "dead" };
    const outcome = await cancelRun(host.state, place, { signal: never, waiting: () => undefined });
    expect(outcome).toEqual({ kind: "cancelled", by: "this process" });
    const contents = (await host.transcript(session)).map(({ content }) => content);
    expect(contents.slice(0, 1)).toEqual(["first"]);
    expect(contents.slice(2)).toEqual(["delivered"]);
    expect(await host.state.store.head(session)).toMatchObject({ runTurn: null, openCalls: [] });
  });
});

describe("a watch of cancels", () => {
  it("looks only while a run is watched, and passes over a look that fails", async () => {
    const clock = manualClock();
    let looks = 0;
    let answer: () => Promise<readonly string[]> = async () => [];
    const asked = async (): Promise<readonly string[]> => {
      looks += 1;
      return answer();
    };
    const never_ = async (): Promise<void> => undefined;
    const watch = new CancelWatch({ ask: never_, settle: never_, asked }, untoldChanges, clock);
    const heard: string[] = [];
    const look = async (): Promise<void> => {
      clock.advance(200);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await look();
    expect(looks).toBe(0);
    const unwatch = watch.watch("run", () => heard.push("run"));
    answer = () => Promise.reject(new Error("busy"));
    await look();
    answer = async () => ["other", "run"];
    await look();
    expect(heard).toEqual(["run"]);
    unwatch();
    await look();
    expect(looks).toBe(2);
  });

  it("looks on by one alarm for runs that follow each other at once", async () => {
    const clock = manualClock();
    let alarms = 0;
    const alarm: Clock["alarm"] = (ms, ring) => ((alarms += 1), clock.alarm(ms, ring));
    const asked = ["stop:run 2"];
    const requests = { ask: async () => undefined, settle: async () => undefined, asked: async () => asked };
    const watch = new CancelWatch(requests, untoldChanges, { ...clock, alarm });
    const heard: string[] = [];
    for (const run of ["run 0", "run 1"]) watch.watch(run, (how) => heard.push(`${how} ${run}`))();
    watch.watch("run 2", (how) => heard.push(`${how} run 2`));
    expect(alarms).toBe(1);
    clock.advance(200);
    await vi.waitFor(() => expect(heard).toEqual(["stop run 2"]));
    expect(alarms).toBe(2);
  });
});

describe("a look at a run", () => {
  it("gives a run that gave its lease back time to tell its end, and no more", async () => {
    const state = memoryState();
    const { id } = await state.store.createSession({ member: "m", role: "main" });
    const watch = new RunWatch(state, { session: id, run: "r" });
    expect(await watch.look(1000)).toEqual({ kind: "running", owner: null });
    expect(await watch.look(10_999)).toEqual({ kind: "running", owner: null });
    expect(await watch.look(11_000)).toEqual({ kind: "lost", owner: null });
    await state.close();
  });

  it("takes a lease that ran out for nobody's", async () => {
    const clock = manualClock();
    const state = memoryState({ clock });
    const { id } = await state.store.createSession({ member: "m", role: "main" });
    const { expiresAt } = await state.store.acquireLease(id, { owner: "elsewhere:1:x", ttlMs: 5000 });
    const watch = new RunWatch(state, { session: id, run: "r" });
    expect((await watch.look(expiresAt - 1)).kind).toBe("running");
    expect((await watch.look(expiresAt)).kind).toBe("lost");
    await state.close();
  });
});
