import { setImmediate as tick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EventEmitter } from "../../src/events/event-emitter.ts";
import { memoryEventLog } from "../../src/events/memory-event-log.ts";
import { eventSchema } from "../../src/events/event-schema.ts";
import { EventFeed, type NotificationSink } from "../../src/rpc/event-feed.ts";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { openTestHost, stateKinds } from "../harness/test-host.ts";
import { RpcClient } from "./support/rpc-client.ts";
import { untoldChanges } from "../../src/store/changes.ts";
import { storedEvents } from "../harness/stored-events.ts";

const agents = { main: [{ text: "one" }, { text: "two" }] };

// S37
describe.each(stateKinds)("following a session's events, with the state in %s", (state) => {
  it("gives what is there and what comes, each number once and in order", async () => {
    const host = await openTestHost({ state, agents });
    const client = new RpcClient(host);
    const first = await client.call("runs/start", { prompt: "go", member: "writer" });
    await client.call("runs/wait", { run: first.run });
    const followed = await client.call("events/subscribe", { session: "writer" });
    await client.saw(followed.subscription, "run_finished");
    expect(followed).toMatchObject({
      session: first.session,
      last_seq: client.events(followed.subscription).length,
    });
    const second = await client.call("runs/start", { prompt: "more", session: "writer" });
    await client.call("runs/wait", { run: second.run });
    await client.until(
      ({ params }) => params?.event.type === "run_finished" && params.event.run === second.run,
    );
    const events = client.events(followed.subscription).map((event) => eventSchema.parse(event));
    const numbers = events.flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(events.filter(({ seq }) => seq !== undefined)).toEqual(
      await storedEvents(host.state, first.session),
    );
    expect(events.some(({ type }) => type === "assistant_delta")).toBe(true);
  });

  it("goes on behind the last number that another connection has seen", async () => {
    const host = await openTestHost({ state, agents });
    const before = new RpcClient(host);
    const { run, session } = await before.call("runs/start", { prompt: "go" });
    await before.call("runs/wait", { run });
    const all = await storedEvents(host.state, session);
    before.input.end();
    await before.ended;
    const after = new RpcClient(host);
    const { subscription } = await after.call("events/subscribe", { session, after: 2 });
    await after.saw(subscription, "run_finished");
    expect(after.events(subscription)).toEqual(all.slice(2));
  });

  it("is refused behind the end of the log, and for a session that is not there", async () => {
    const host = await openTestHost({ state, agents });
    const client = new RpcClient(host);
    const { run, session } = await client.call("runs/start", { prompt: "go" });
    await client.call("runs/wait", { run });
    const { length } = await storedEvents(host.state, session);
    expect(await client.refusal("events/subscribe", { session, after: length + 1 })).toMatchObject({
      code: rpcCode.fenced,
      data: { kind: "events_rewound", last_seq: length },
    });
    expect(await client.call("events/subscribe", { session, after: length })).toMatchObject({
      last_seq: length,
    });
    expect(await client.refusal("events/subscribe", { session: "none" })).toMatchObject({
      code: rpcCode.not_found,
    });
  });

  it("ends when it is asked to", async () => {
    const host = await openTestHost({ state, agents });
    const client = new RpcClient(host);
    const { id: session } = await host.state.store.createSession({ member: "writer", role: "main" });
    const { subscription } = await client.call("events/subscribe", { session });
    await client.call("events/unsubscribe", { subscription });
    const { run } = await client.call("runs/start", { prompt: "go", session });
    await client.call("runs/wait", { run });
    expect(client.events(subscription)).toEqual([]);
    expect(await client.refusal("events/unsubscribe", { subscription })).toMatchObject({
      code: rpcCode.not_found,
    });
  });

  it("reads a log in pages", async () => {
    const host = await openTestHost({ state, agents });
    const client = new RpcClient(host);
    const { run, session } = await client.call("runs/start", { prompt: "go" });
    await client.call("runs/wait", { run });
    const all = await storedEvents(host.state, session);
    const first = await client.call("events/read", { session, limit: 2 });
    expect(first).toEqual({ events: all.slice(0, 2), next: 2 });
    const rest = await client.call("events/read", { session, after: first.next });
    expect(rest).toEqual({ events: all.slice(2), next: null });
  });
});

/** A reader that is let read one message at a time. */
class SlowSink implements NotificationSink {
  readonly sent: string[] = [];
  hasRoom = true;
  act = (): void => undefined;

  send(text: string): void {
    this.sent.push(text);
    this.hasRoom = false;
  }

  onRoom(act: () => void): () => void {
    this.act = act;
    return () => undefined;
  }

  read(): void {
    this.hasRoom = true;
    this.act();
  }
}

it("keeps nothing in memory for a reader that is behind, who misses and repeats no number", async () => {
  const events = new EventEmitter(memoryEventLog());
  const sink = new SlowSink();
  const feed = new EventFeed({ state: { events, changes: untoldChanges }, sink });
  await feed.follow("s", 0);
  for (let number = 0; number < 50; number += 1) {
    events.emit({ session: "s" }, "notice", { text: `${number}` });
    events.emit({ session: "s" }, "assistant_delta", { text: "delta" });
    if (number % 7 === 0) await tick();
  }
  await tick();
  expect(sink.sent.length).toBeLessThan(3);
  for (let read = 0; read < 60; read += 1) {
    sink.read();
    await tick();
    await tick();
  }
  const seqs = sink.sent.flatMap(
    (text) => (JSON.parse(text) as { params: { event: { seq?: number } } }).params.event.seq ?? [],
  );
  expect(seqs).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  await feed.close();
});

it("gives what another process wrote into the log", async () => {
  const log = memoryEventLog();
  const events = new EventEmitter(log);
  const sink = new SlowSink();
  const feed = new EventFeed({ state: { events, changes: untoldChanges }, sink, pollMs: 5 });
  await feed.follow("s", 0);
  log.append([
    { v: 1, ts: new Date(0).toISOString(), session: "s", type: "notice", data: { text: "from afar" } },
  ]);
  while (sink.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(sink.sent[0]).toContain("from afar");
  await feed.close();
});
