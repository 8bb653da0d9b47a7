import { onAbort } from "@basis/core";
import { expect, test } from "vitest";
import { Cue } from "../../src/agent/run/cue.ts";

test("a cue is given once, and everybody who waits hears its first reason", () => {
  const cue = new Cue();
  const heard: unknown[] = [];
  const early = cue.signal;
  cue.onAbort(() => heard.push(cue.reason));
  cue.onAbort(() => heard.push("taken back"))();
  expect([cue.aborted, early.aborted]).toEqual([false, false]);
  cue.abort("first");
  cue.abort("second");
  expect([cue.aborted, cue.reason, heard]).toEqual([true, "first", ["first"]]);
  expect([early.aborted, early.reason]).toEqual([true, "first"]);
});

test("a signal that is asked for afterwards has aborted for the same reason", () => {
  const cue = new Cue();
  cue.abort("first");
  expect([cue.signal.aborted, cue.signal.reason]).toEqual([true, "first"]);
  expect(cue.signal).toBe(cue.signal);
});

test("a cue is listened to as a signal is, and makes one only then", () => {
  const cue = new Cue();
  const heard: string[] = [];
  onAbort(cue, () => heard.push("stays"));
  onAbort(cue, () => heard.push("taken back"))();
  cue.abort("over");
  expect(heard).toEqual(["stays"]);
});
