import { digestJson } from "@basis/core";
import { manualClock, type ManualClock } from "@basis/core/testing";
import {
  isSessionError,
  modelMessageShape,
  type Lease,
  type MemoryStore,
  type ModelMessage,
  type WriteResult,
} from "@mobkit/session";
import { MemoryState } from "../../src/memory/memory-state.ts";
import { storeOver } from "../../src/memory/memory-store.ts";
import type { Dice } from "../../src/conformance/random-walk.ts";

/** An append whose answer somebody has seen. */
export interface AcknowledgedAppend {
  readonly sessionId: string;
  readonly result: WriteResult;
}

/** A write that was asked for and not answered yet: after a crash it is repeated. */
export interface AskedAppend {
  readonly sessionId: string;
  readonly writeId: string;
  readonly messages: readonly ModelMessage[];
}

/** A fork that was asked for under a key. */
export interface AskedFork {
  readonly key: string;
  readonly source: { readonly member: string; readonly sessionId: string };
  readonly child: string;
}

/** A store, the time, and what its callers have asked for and seen. */
export interface World {
  readonly state: MemoryState<ModelMessage>;
  readonly store: MemoryStore<ModelMessage>;
  readonly clock: ManualClock;
  readonly dice: Dice;
  readonly appends: AcknowledgedAppend[];
  readonly askedAppends: Map<string, AskedAppend>;
  readonly askedForks: Map<string, AskedFork>;
  /** Acknowledged: operations by key, final states of operations, redacted messages, deleted sessions. */
  readonly keys: Map<string, string>;
  readonly ends: Map<string, "seated" | "abandoned">;
  readonly redacted: Set<string>;
  readonly deleted: Set<string>;
  /** What happened, by name: acknowledgements and refusals. */
  readonly tally: Map<string, number>;
  next(): number;
}

/** An empty store at the beginning of time. */
export function newWorld(dice: Dice): World {
  const clock = manualClock();
  const state = new MemoryState(modelMessageShape, clock);
  let count = 0;
  return {
    state,
    store: storeOver(state),
    clock,
    dice,
    appends: [],
    askedAppends: new Map(),
    askedForks: new Map(),
    keys: new Map(),
    ends: new Map(),
    redacted: new Set(),
    deleted: new Set(),
    tally: new Map(),
    next: () => (count += 1),
  };
}

export function count({ tally }: Pick<World, "tally">, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

/** Counts a refusal; what is no typed refusal is a violation. Answers false, for whoever gives up then. */
export function refused(world: World, error: unknown): false {
  if (!isSessionError(error)) throw error;
  count(world, `refused: ${error.code}`);
  return false;
}

/** One of a list; undefined of an empty one. */
export function pick<T>(dice: Dice, list: readonly T[]): T | undefined {
  return list.length === 0 ? undefined : list[dice(list.length)];
}

export function says(content: string): ModelMessage {
  return { role: "user", content };
}

/** Messages that may follow these open calls: their results, a round of calls, or talk. Each text is said once in a world. */
export function nextMessages(world: World, openCalls: readonly string[]): ModelMessage[] {
  const { dice, next } = world;
  if (openCalls.length > 0) {
    const answered = openCalls.slice(0, 1 + dice(openCalls.length));
    return answered.map((key) => answer(key.slice("call:".length), `result ${next()}`));
  }
  const text = dice(40) === 0 ? `${"long ".repeat(3400)}${next()}` : `text ${next()}`;
  if (dice(3) > 0) return [says(text)];
  const ids = Array.from({ length: 1 + dice(2) }, () => `c${next()}`);
  const content = ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "look", input: {} }));
  return [{ role: "assistant", content }];
}

function answer(toolCallId: string, value: string): ModelMessage {
  const output = { type: "text", value };
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "look", output }] };
}

/** Takes a fork's key and everything that goes with it to the store. */
export function commitFork(world: World, { key, source, child }: AskedFork) {
  return world.store.forks.commit({
    source,
    child: { member: child, role: "general", labels: {} },
    at: "settled",
    allowEmpty: true,
    whileRunning: "settled",
    initialMessage: says(`begin ${key}`),
    idempotencyKey: key,
    request: { key },
    requestDigest: digestJson({ key }),
    claim: { owner: `forker of ${key}`, ttlMs: 50 },
  });
}

/** Appends under a write id, remembering that it was asked for until it is answered. */
export async function appendAsked(
  world: World,
  asked: AskedAppend,
  terms: { readonly lease: Lease; readonly expectedRev: number },
): Promise<WriteResult> {
  const { sessionId, writeId, messages } = asked;
  return world.store.append(sessionId, { ...terms, writeId, messages });
}

export function noteAppend(world: World, { sessionId, writeId }: AskedAppend, result: WriteResult): void {
  count(world, result.replayed ? "append replayed" : "append");
  world.askedAppends.delete(writeId);
  world.appends.push({ sessionId, result });
}
