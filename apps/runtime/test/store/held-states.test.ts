import type { Lease, SideState } from "@mobkit/session";
import { expect, test, vi } from "vitest";
import { HeldStates } from "../../src/store/postgres/held-states.ts";

const lease: Lease = { sessionId: "s", owner: "o", epoch: 3, expiresAt: 0, ttlMs: 1000 };
const state = (kind: string, onFork: SideState["onFork"]): SideState => ({
  kind,
  onFork,
  value: kind,
  position: 1,
  version: 1,
});

function held(most = 8): HeldStates {
  const states = new HeldStates(most);
  states.begin(lease, { states: [state("own", "reset"), state("shared", "share")], atMs: performance.now() });
  return states;
}

test("what only the holder of a lease can write is known while it holds it, and nothing else is", () => {
  const states = held();
  expect(states.read("s", "own")).toMatchObject({ state: { value: "own" } });
  expect(states.read("s", "none")).toEqual({ state: undefined });
  expect(states.read("s", "shared")).toBeUndefined(); // any session that sees it writes it
  expect(states.read("other", "own")).toBeUndefined();
  states.wrote("s", [{ kind: "own", onFork: "reset", value: null }], 5);
  expect(states.read("s", "own")).toEqual({
    state: { kind: "own", onFork: "reset", value: null, position: 5, version: 2 },
  });
  states.end("s");
  expect(states.read("s", "own")).toBeUndefined();
});

// S24
test("nothing is known once somebody else may have the lease, by the clock that never goes back", () => {
  const now = vi.spyOn(performance, "now");
  try {
    now.mockReturnValue(1000);
    const states = held();
    now.mockReturnValue(1999);
    expect(states.read("s", "own")).toBeDefined();
    states.renewed({ ...lease, epoch: 2 }, 1999); // of an older holder
    now.mockReturnValue(2000);
    expect(states.read("s", "own")).toBeUndefined();
    states.renewed(lease, 1999);
    expect(states.read("s", "own")).toBeDefined();
  } finally {
    now.mockRestore();
  }
});

test("the oldest session is let go of when there are too many", () => {
  const states = held(1);
  states.begin({ ...lease, sessionId: "t" }, { states: [], atMs: performance.now() });
  expect(states.read("s", "own")).toBeUndefined();
  expect(states.read("t", "own")).toEqual({ state: undefined });
});
