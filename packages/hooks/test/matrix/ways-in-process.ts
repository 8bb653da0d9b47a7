import type { ManualClock } from "@basis/core/testing";
import type { AskContext, FailureCode, HookEvent, HookRequest } from "../../src/index.ts";
import { CANARY } from "./broken-guard.ts";

/** Milliseconds that a participant of this matrix has. */
export const DEADLINE_MS = 300;

/** One way in which a guard inside the host does not answer. */
export interface BrokenParticipant {
  /** As the README's table names it. */
  readonly name: string;
  readonly code: FailureCode;
  /** What it does instead of answering; `clock` is the chain's. */
  breaks(request: HookRequest, clock: ManualClock, context: AskContext): unknown;
}

const way = (name: string, code: FailureCode, breaks: BrokenParticipant["breaks"]): BrokenParticipant => ({
  name,
  code,
  breaks,
});
const answers = (name: string, answer: (event: HookEvent) => unknown): BrokenParticipant =>
  way(name, "invalid_answer", ({ event }) => answer(event));
/** A rewrite that fits the event. */
const rewrites = (name: string, value: () => unknown): BrokenParticipant =>
  answers(name, (event) =>
    event === "pre_tool_use"
      ? { decision: "modify", input: { [CANARY]: value() } }
      : { decision: "replace", output: { [CANARY]: value() }, isError: false },
  );

const trap = (): never => {
  throw new Error(CANARY);
};
const thenable = (settle: () => void): unknown =>
  new Proxy({}, { get: (_target, key) => (key === "then" ? settle : undefined) });
const cycle = (): object => {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
};
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

/** Guards inside the host that do not answer. */
export const WAYS_IN_PROCESS: readonly BrokenParticipant[] = [
  way("throws an error", "threw", trap),
  way("throws a text", "threw", () => {
    throw CANARY;
  }),
  way("throws null", "threw", () => {
    throw null;
  }),
  way("throws an object that traps every access", "threw", () => {
    throw new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap });
  }),
  way("rejects", "threw", async () => trap()),
  way("rejects without a reason", "threw", () => Promise.reject()),
  way("changes the request", "threw", (request) => {
    (request as { toolName: string }).toolName = "other";
    return { decision: "allow" };
  }),
  way("changes the input", "threw", (request) => {
    (request.input as { command: string }).command = "rm";
    return { decision: "allow" };
  }),
  way("never settles", "timed_out", () => new Promise(() => undefined)),
  way("ends with its signal and allows", "timed_out", (_request, _clock, { signal }) => {
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ decision: "allow" })));
  }),
  way("blocks the thread past its deadline", "timed_out", (_request, clock) => {
    clock.advance(DEADLINE_MS + 1);
    return { decision: "allow" };
  }),
  way("is a thenable that throws", "threw", () => thenable(trap)),
  way("is a thenable that never calls", "timed_out", () => thenable(() => undefined)),
  answers("answers nothing", () => undefined),
  answers("answers null", () => null),
  answers("answers true", () => true),
  answers("answers a text", () => `allow ${CANARY}`),
  answers("answers a list", () => [{ decision: "allow" }]),
  answers("answers a function", () => () => ({ decision: "allow" })),
  answers("answers without a decision", () => ({ allow: true })),
  answers("answers an unknown decision", () => ({ decision: CANARY })),
  answers("answers a decision in capitals", () => ({ decision: "ALLOW" })),
  answers("answers a decision that is no text", () => ({ decision: Object("allow") as unknown })),
  answers("answers an object whose decision throws", () => ({
    get decision(): string {
      return trap();
    },
  })),
  way("answers an object that traps every access", "threw", () => new Proxy({}, { get: trap })),
  answers("rewrites without a value", (event) => ({
    decision: event === "pre_tool_use" ? "modify" : "replace",
  })),
  answers("rewrites with the wrong type", (event) =>
    event === "pre_tool_use"
      ? { decision: "modify", input: [CANARY] }
      : { decision: "replace", output: 1, isError: CANARY },
  ),
  rewrites("rewrites with a cycle", cycle),
  rewrites("rewrites 300 levels deep", () => nested(300)),
  rewrites("rewrites with an instance of a class", () => new Map()),
  rewrites("rewrites with a bigint", () => 1n),
  rewrites("rewrites with a function", () => trap),
  rewrites("rewrites with NaN", () => Number.NaN),
  rewrites("rewrites with the key __proto__", () => JSON.parse('{"__proto__":{"admin":true}}') as unknown),
  rewrites("rewrites with a toJSON that throws", () => ({ toJSON: trap })),
  way("answers the other event's verb", "wrong_event", ({ event }) =>
    event === "pre_tool_use"
      ? { decision: "replace", output: CANARY, isError: false }
      : { decision: "modify", input: { command: CANARY } },
  ),
];
