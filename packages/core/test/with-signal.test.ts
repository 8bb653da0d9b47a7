import { expect, test } from "vitest";
import { WithSignal } from "../src/with-signal.ts";

function source() {
  const made: AbortController[] = [];
  const late = {
    get signal(): AbortSignal {
      if (made.length === 0) made.push(new AbortController());
      return made[0]!.signal;
    },
  };
  return { made, late };
}

test("a signal is made by whoever reads it, and by nobody else", () => {
  const { made, late } = source();
  const context = new WithSignal(late);
  expect(made).toEqual([]);
  const { signal } = context;
  expect(context.signal).toBe(signal);
  made[0]!.abort("over");
  expect(signal.reason).toBe("over");
});

test("a copy by spreading has it", () => {
  const { late } = source();
  const context: { readonly signal: AbortSignal } = new WithSignal(late);
  expect({ ...context, more: true }).toEqual({ signal: late.signal, more: true });
  expect(Object.keys(context)).toEqual(["signal"]);
});
