import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { denyAll, memoryRuleStore } from "@basis/approval";
import { manualClock, type ManualClock } from "@basis/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRuntime, type Runtime } from "../../src/compose.ts";
import type { EventType } from "../../src/events/event-schema.ts";
import { memoryState, openState, type HostState } from "../../src/store/open-state.ts";
import type { ModelSource } from "../../src/providers/model-source.ts";
import { storedEvents } from "../harness/stored-events.ts";

const HOUR = 3_600_000;
const spec = { identity: "branch", role: "main", launchMode: "fresh" } as const;

describe.each(["memory", "sqlite"])("a host that looks after its store, in %s", (kind) => {
  let clock: ManualClock;
  let directory: string;
  let state: HostState;
  let runtime: Runtime;
  let source: string;
  beforeEach(async () => {
    clock = manualClock();
    directory = mkdtempSync(join(tmpdir(), "basis-tend-"));
    state = kind === "memory" ? memoryState({ clock }) : await openState(directory, { clock });
    runtime = createRuntime({ state, models: undefined as unknown as ModelSource, approver: denyAll, clock });
    source = await write("trunk", 4);
  });
  afterEach(async () => {
    await runtime.close();
    rmSync(directory, { recursive: true });
  });

  async function write(member: string, messages: number): Promise<string> {
    const { id } = await state.store.createSession({ member, role: "main" });
    const lease = await state.store.acquireLease(id, { owner: "test", ttlMs: 1000 });
    const list = Array.from({ length: messages }, (_, at) => ({ role: "user" as const, content: `m${at}` }));
    await state.store.append(id, { lease, expectedRev: 0, messages: list });
    await state.store.releaseLease(lease);
    return id;
  }

  /** What a process leaves that dies between a fork's commit and its seat. */
  async function dyingFork(): Promise<{ operationId: string; sessionId: string }> {
    const { operation, session } = await state.store.forks.commit({
      source: { member: "trunk", sessionId: source },
      at: 2,
      child: { member: "branch", role: "main", labels: {} },
      requestDigest: "d",
      request: {},
      claim: { owner: "dead", ttlMs: 1000 },
    });
    return { operationId: operation.id, sessionId: session.id };
  }

  const told = async (type: EventType): Promise<number> =>
    (await storedEvents(state, source)).filter((event) => event.type === type).length;
  const waiting = async (): Promise<readonly string[]> =>
    (await state.store.outbox.list()).items.map(({ kind: name }) => name);

  test("seats a fork whose process died, tells so once, and leaves no event behind", async () => {
    const { sessionId } = await dyingFork();
    expect(await runtime.tend()).toMatchObject({ seatedForks: 0 });
    clock.advance(2000);
    expect(await runtime.tend()).toMatchObject({ seatedForks: 1, consumedEvents: 2 });
    expect(await state.store.head(sessionId)).toMatchObject({
      state: "ready",
      binding: { member: "branch" },
    });
    expect(await waiting()).toEqual([]);
    await runtime.tend();
    expect(
      await Promise.all([told("fork_committed"), told("fork_provisioned"), told("fork_recovered")]),
    ).toEqual([1, 1, 1]);
  });

  test("takes out the events of a fork that told of itself, and tells nothing twice", async () => {
    await runtime.fork("trunk", spec);
    expect(await waiting()).toEqual(["fork.committed", "fork.seated"]);
    expect(await runtime.tend()).toMatchObject({ consumedEvents: 2 });
    expect(await waiting()).toEqual([]);
    expect(await Promise.all([told("fork_committed"), told("fork_provisioned")])).toEqual([1, 1]);
  });

  test("tells what nobody told, once its process has had its time", async () => {
    const { operationId } = await dyingFork();
    clock.advance(2000);
    await state.store.forks.abandon({ operationId });
    await runtime.tend();
    expect(await waiting()).toEqual(["fork.committed", "fork.abandoned"]);
    expect(await told("fork_committed")).toBe(0);
    clock.advance(60_000);
    expect(await runtime.tend()).toMatchObject({ consumedEvents: 2 });
    expect(await Promise.all([told("fork_committed"), told("fork_failed")])).toEqual([1, 1]);
    expect(await waiting()).toEqual([]);
  });

  test("leaves a fork's first message where it waits", async () => {
    await runtime.fork("trunk", { ...spec, initialMessage: { role: "user", content: "begin" } });
    await runtime.tend();
    expect(await waiting()).toEqual(["session.input"]);
  });

  test("tells nothing in the log of a source that is deleted", async () => {
    await runtime.fork("trunk", spec);
    await state.store.setState(source, { state: "tombstone" });
    await state.events.forget([source]);
    clock.advance(HOUR);
    expect(await runtime.tend()).toMatchObject({ consumedEvents: 2 });
    expect(await storedEvents(state, source)).toEqual([]);
  });

  test("collects once an hour what nobody reaches, and what belongs to deleted sessions", async () => {
    await runtime.fork("trunk", spec, { at: 1 });
    await state.events.flush();
    await state.store.setState(source, { state: "tombstone" });
    expect((await runtime.tend())?.collection).toMatchObject({ waiting: { rows: 3 }, gone: { rows: 0 } });
    expect(await storedEvents(state, source)).toEqual([]);
    clock.advance(HOUR / 2);
    expect((await runtime.tend())?.collection).toBeUndefined();
    clock.advance(HOUR / 2);
    expect((await runtime.tend())?.collection).toMatchObject({ waiting: { rows: 0 }, gone: { rows: 3 } });
    const branch = (await state.store.members.get("branch"))!.sessionId;
    const rows: unknown[] = [];
    for await (const { body } of state.store.read(branch)) rows.push(body);
    expect(rows).toEqual([{ role: "user", content: "m0" }]);
  });

  test("a call joins one that runs, and after the end nothing is done", async () => {
    await dyingFork();
    clock.advance(2000);
    const [one, other] = await Promise.all([runtime.tend(), runtime.tend()]);
    expect(one).toBe(other);
    await runtime.close();
    expect(await runtime.tend()).toBeUndefined();
  });

  // S22: who seats a dead process's fork gives it its source's denials too.
  test("a fork that the sweep seats inherits denials", async () => {
    const rules = memoryRuleStore({ clock });
    rules.add({ toolName: "write", effect: "deny", scope: "session", within: source });
    const other = createRuntime({
      state,
      models: undefined as unknown as ModelSource,
      approver: denyAll,
      clock,
      rules,
    });
    const { sessionId } = await dyingFork();
    clock.advance(2000);
    await other.tend();
    expect(rules.list({ scope: "session", within: sessionId })).toHaveLength(1);
  });
});
