import { manualClock } from "@basis/core/testing";
import { describe, expect, test } from "vitest";
import { EventEmitter } from "../../src/events/event-emitter.ts";
import type { SyncEventLog } from "../../src/events/sync-event-log.ts";
import { memoryEventLog } from "../../src/events/memory-event-log.ts";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { allOf } from "../harness/stored-events.ts";

const scope = { session: "s", run: "r" };

/** A log that refuses as often as told. */
function refusing(times: number): SyncEventLog {
  const log = memoryEventLog();
  let left = times;
  return {
    ...log,
    append(events) {
      if (left > 0) {
        left -= 1;
        throw new Error("disk full");
      }
      return log.append(events);
    },
  };
}

function heardBy(emitter: EventEmitter): BasisEvent[] {
  const heard: BasisEvent[] = [];
  emitter.listen((event) => heard.push(event));
  return heard;
}

test("events are numbered by session, delivered in order, and live ones carry no number and are not kept", async () => {
  const emitter = new EventEmitter(memoryEventLog(), { clock: manualClock() });
  const heard = heardBy(emitter);
  emitter.emit(scope, "notice", { text: "1" });
  emitter.emit(scope, "assistant_delta", { text: "live" });
  emitter.emit({ session: "t" }, "notice", { text: "other" });
  emitter.emit(scope, "notice", { text: "2" });
  void emitter.flush();
  expect(heard.map(({ session, seq }) => [session, seq])).toEqual([
    ["s", 1],
    ["s", undefined],
    ["t", 1],
    ["s", 2],
  ]);
  expect((await allOf(emitter.read("s"))).map(({ type }) => type)).toEqual(["notice", "notice"]);
  expect(heard[0]!.ts).toBe("2026-01-01T00:00:00.000Z");
});

describe("a log that refuses a batch", () => {
  test("ends nothing: the batch is kept and written with the next, before it", () => {
    const emitter = new EventEmitter(refusing(2));
    const heard = heardBy(emitter);
    emitter.emit(scope, "notice", { text: "1" });
    expect(emitter.flush()).toBe(false);
    emitter.emit(scope, "notice", { text: "2" });
    expect(emitter.flush()).toBe(false);
    expect(heard).toEqual([]);
    expect(emitter.flush()).toBe(true);
    expect(heard.map(({ seq, data }) => [seq, data])).toEqual([
      [1, { text: "1" }],
      [2, { text: "2" }],
    ]);
  });

  test("until the end is told by close", () => {
    const emitter = new EventEmitter(refusing(Infinity));
    emitter.emit(scope, "notice", { text: "1" });
    expect(() => emitter.close()).toThrow("disk full");
    expect(() => emitter.close()).not.toThrow();
  });
});

test("live events alone are heard while the log is asked for nothing", () => {
  const emitter = new EventEmitter(refusing(1), { clock: manualClock() });
  const heard = heardBy(emitter);
  emitter.emit(scope, "assistant_delta", { text: "live" });
  expect(emitter.flush()).toBe(true);
  expect(heard).toMatchObject([{ type: "assistant_delta", data: { text: "live" } }]);
  emitter.emit(scope, "notice", { text: "kept" });
  expect(emitter.flush()).toBe(false);
});

test("a listener that throws keeps the event from nobody", () => {
  const emitter = new EventEmitter(memoryEventLog());
  emitter.listen(() => {
    throw new Error("mine");
  });
  const heard = heardBy(emitter);
  emitter.emit(scope, "notice", { text: "1" });
  emitter.emit(scope, "notice", { text: "2" });
  expect(emitter.flush()).toBe(true);
  expect(heard).toHaveLength(2);
});

test("a listener that was taken away hears nothing more", () => {
  const emitter = new EventEmitter(memoryEventLog());
  const heard: BasisEvent[] = [];
  const silence = emitter.listen((event) => heard.push(event));
  emitter.emit(scope, "notice", { text: "1" });
  void emitter.flush();
  silence();
  emitter.emit(scope, "notice", { text: "2" });
  void emitter.flush();
  expect(heard).toHaveLength(1);
});

test("what is emitted after the close is dropped", () => {
  const emitter = new EventEmitter(memoryEventLog());
  const heard = heardBy(emitter);
  void emitter.close();
  emitter.emit(scope, "notice", { text: "late" });
  expect(emitter.flush()).toBe(true);
  expect(heard).toEqual([]);
});
