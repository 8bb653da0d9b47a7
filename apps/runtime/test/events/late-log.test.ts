import { expect, test } from "vitest";
import { EventEmitter } from "../../src/events/event-emitter.ts";
import type { EventLog, PendingEvent } from "../../src/events/event-log.ts";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { memoryEventLog } from "../../src/events/memory-event-log.ts";
import { allOf } from "../harness/stored-events.ts";

/** A log behind a connection: each batch waits until it is let through, or refused. */
function lateLog() {
  const log = memoryEventLog();
  const batches: { readonly events: readonly PendingEvent[]; settle(error?: Error): void }[] = [];
  const append = (events: readonly PendingEvent[]): Promise<readonly BasisEvent[]> =>
    new Promise((resolve, reject) => {
      batches.push({
        events,
        settle: (error) => (error === undefined ? resolve(log.append(events)) : reject(error)),
      });
    });
  const late: EventLog = { ...log, append };
  return { log: late, batches };
}

const say = (emitter: EventEmitter, ...texts: string[]): void => {
  for (const text of texts) emitter.emit({ session: "s" }, "notice", { text });
};

function heardBy(emitter: EventEmitter): (number | string | undefined)[] {
  const heard: (number | string | undefined)[] = [];
  emitter.listen(({ seq, data }) => heard.push(seq ?? (data as { text: string }).text));
  return heard;
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// S37
test("a batch is told of once it is kept, and the next one waits for it", async () => {
  const { log, batches } = lateLog();
  const emitter = new EventEmitter(log);
  const heard = heardBy(emitter);
  say(emitter, "1", "2");
  await tick();
  say(emitter, "3");
  emitter.emit({ session: "s" }, "assistant_delta", { text: "live" });
  await tick();
  expect(batches.map(({ events }) => events.length)).toEqual([2]);
  expect(heard).toEqual([]);
  const flushed = emitter.flush();
  batches[0]!.settle();
  await tick();
  expect(heard).toEqual([1, 2]);
  batches[1]!.settle();
  expect(await flushed).toBe(true);
  expect(heard).toEqual([1, 2, 3, "live"]);
});

test("what is refused is kept for the next try, before what came meanwhile", async () => {
  const { log, batches } = lateLog();
  const emitter = new EventEmitter(log);
  const heard = heardBy(emitter);
  say(emitter, "1");
  const refused = emitter.flush();
  say(emitter, "2");
  batches[0]!.settle(new Error("the server is away"));
  expect(await refused).toBe(false);
  const written = emitter.flush();
  expect(batches[1]!.events).toEqual([
    ...batches[0]!.events,
    expect.objectContaining({ data: { text: "2" } }),
  ]);
  batches[1]!.settle();
  expect(await written).toBe(true);
  expect(heard).toEqual([1, 2]);
});

test("a reader waits for what is on its way, and closing writes the rest or says why not", async () => {
  const { log, batches } = lateLog();
  const emitter = new EventEmitter(log);
  say(emitter, "1");
  const read = allOf(emitter.read("s"));
  await tick();
  batches[0]!.settle();
  expect((await read).map(({ seq }) => seq)).toEqual([1]);
  say(emitter, "2");
  const closed = emitter.close();
  batches[1]!.settle(new Error("the server is away"));
  await expect(Promise.resolve(closed)).rejects.toThrow("the server is away");
  say(emitter, "3");
  expect(batches).toHaveLength(2);
});
