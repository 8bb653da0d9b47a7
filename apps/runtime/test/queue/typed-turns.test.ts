import { defineOutput } from "@basis/typed-output";
import { describe, expect, it } from "vitest";
import type { ModelMessage } from "../../src/providers/model.ts";
import { queuedOutput, queuedSpec } from "../../src/queue/queued-output.ts";
import type { QueuedTurn } from "../../src/queue/queued-turn.ts";
import { HandBackError } from "../../src/agent/turn/run-end.ts";
import type { TurnEnding } from "../../src/queue/turn-queue.ts";
import { readRunAccount } from "../../src/runs/run-account.ts";
import type { RunFinished } from "../../src/runs/run-watch.ts";
import { TurnWorker } from "../../src/queue/turn-worker.ts";
import { openTestHost, type TestHost, type TestHostOptions } from "../harness/test-host.ts";
import { storedEvents } from "../harness/stored-events.ts";
import { fitOf, newTurn } from "./support/probe-worker.ts";

const spec = defineOutput({
  name: "count",
  description: "A count.",
  schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
});
const wrong = { terminal: '{"n":"seven"}' };
const right = { terminal: '{"n":7}' };

interface Queued {
  readonly turn: QueuedTurn;
  readonly host: TestHost;
  /** Runs the turn by another worker, which hands it back when its model is asked for the `most`th time. */
  run(most?: number): Promise<TurnEnding>;
}

async function queueTyped(options: TestHostOptions, given: Partial<QueuedTurn> = {}): Promise<Queued> {
  let asked = (): void => undefined;
  const host = await openTestHost({ ...options, onRequest: () => asked() });
  const { store } = host.state;
  const sessionId = given.sessionId ?? (await store.createSession({ member: "main", role: "main" })).id;
  const turn: QueuedTurn = {
    ...newTurn({ sessionId, output: queuedOutput(spec) }),
    state: "running",
    queuedAt: Date.now(),
    ...given,
  };
  let workers = 0;
  return {
    turn,
    host,
    async run(most = Infinity) {
      workers += 1;
      const name = `worker ${workers}`;
      const parts = {
        runtime: host.runtime,
        workspace: host.facts,
        leaseMs: 15_000,
        report: () => undefined,
      };
      const worker = new TurnWorker({ ...parts, name, concurrency: 1, fit: fitOf() });
      const ending = new AbortController();
      let requests = 0;
      asked = () => {
        requests += 1;
        if (requests === most) ending.abort(new HandBackError());
      };
      return worker.run({ turn, signal: ending.signal, standing: async () => "again" });
    },
  };
}

describe("a typed turn that a worker hands back", () => {
  it("goes on with the candidates that were judged before", async () => {
    const { host, run } = await queueTyped({ agents: { main: [wrong, wrong, wrong, right] } });
    await expect(run(2)).rejects.toThrow("goes on at another");
    expect(await run()).toEqual({ outcome: "failed", reason: "no answer (mismatch)" });
    expect(host.events.data("output_rejected").map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(host.events.data("run_started")).toHaveLength(1);
    expect(host.events.data("run_finished")).toMatchObject([
      { status: "stopped", output_status: "mismatch" },
    ]);
  });

  it("whose accepted answer was written and lost before it was told gives it once more", async () => {
    const options = { state: "sqlite", agents: { main: [right, right] } } as const;
    const first = await queueTyped(options);
    expect(await first.run()).toEqual({ outcome: "completed" });
    await first.host.close();
    const { host, run, turn } = await queueTyped({ ...options, after: first.host }, first.turn);
    const { events } = host.state;
    const told = await storedEvents(host.state, turn.sessionId);
    await events.forget([turn.sessionId]);
    await events.take(told.filter(({ type }) => !/^output|^run_finished/.test(type)));
    expect(await run()).toEqual({ outcome: "completed" });
    const end = (await storedEvents(host.state, turn.sessionId)).at(-1) as RunFinished;
    expect(await readRunAccount(events.read(turn.sessionId), end)).toMatchObject({
      output: { status: "accepted", value: { n: 7 } },
    });
  });

  it("whose answer came as text, and was not closed, is asked once more", async () => {
    const text = { text: '{"n":7}' };
    const { host, run, turn } = await queueTyped({
      agents: { main: [text, text] },
      scripted: { capabilities: { forcedChoice: "none", nativeSchema: true } },
    });
    const { store } = host.state;
    const lease = await store.acquireLease(turn.sessionId, { owner: "gone", ttlMs: 60_000 });
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "text", text: text.text }] },
    ];
    await store.append(turn.sessionId, {
      lease,
      expectedRev: 0,
      turnId: turn.id,
      runTurn: turn.id,
      messages,
    });
    await store.releaseLease(lease);
    expect(await run()).toEqual({ outcome: "completed" });
    expect(host.events.data("user_message").map(({ text: said }) => said)).toContain(
      "Your last answer did not arrive. Give it again.",
    );
    expect(host.events.data("run_finished")).toMatchObject([{ output_status: "accepted" }]);
  });
});

it("is refused when what it is to answer with is not what was queued, and runs when it is", async () => {
  const kept = queuedOutput(spec.withTools());
  expect((await queuedSpec(kept)).keepsTools).toBe(true);
  await expect(queuedSpec({ ...kept, withTools: false })).rejects.toThrow("is not the one that was queued");
  const { run, host } = await queueTyped({}, { output: { ...kept, schema: { type: "object" } } });
  await expect(run()).rejects.toThrow("is not the one that was queued");
  expect(host.models.requests).toEqual([]);
});
