import { describe, expect, it, vi } from "vitest";
import { onAbort } from "../src/index.ts";

describe("onAbort", () => {
  it("puts one listener on a signal, whoever waits, and takes it away with the last one", () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    const undo = Array.from({ length: 50 }, () => onAbort(signal, () => undefined));
    expect(add).toHaveBeenCalledTimes(1);
    for (const step of undo) step();
    for (const step of undo) step();
    expect(remove).toHaveBeenCalledTimes(1);
    onAbort(signal, () => undefined)();
    expect([add.mock.calls.length, remove.mock.calls.length]).toEqual([2, 2]);
  });

  it("calls everybody who still waits, once, even one that is given twice", () => {
    const controller = new AbortController();
    const react = vi.fn();
    const gone = vi.fn();
    onAbort(controller.signal, react);
    onAbort(controller.signal, react);
    onAbort(controller.signal, gone)();
    controller.abort();
    expect(react).toHaveBeenCalledTimes(2);
    expect(gone).not.toHaveBeenCalled();
  });
});
