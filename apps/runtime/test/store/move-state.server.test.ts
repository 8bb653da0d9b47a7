import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fingerprintOf } from "../../src/store/move/fingerprint.ts";
import { moveState, type NamedState } from "../../src/store/move/move-state.ts";
import { openState, type HostState } from "../../src/store/open-state.ts";
import { textOutcome } from "../../src/tools/tool.ts";
import { openDatabaseState } from "../harness/database-state.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, type TestHost } from "../harness/test-host.ts";

const { signal } = new AbortController();
const report = (): void => undefined;

/** A host whose state has something of everything. */
async function livedIn(): Promise<TestHost> {
  const call = calls({ name: "probe", input: {} });
  const host = await openTestHost({
    state: "sqlite",
    agents: { main: [call, { text: "one" }, { text: "two" }, { text: "three" }, call, { text: "four" }] },
    tools: [probeTool("probe", { run: () => textOutcome("x".repeat(70_000)) })],
    approver: new RecordingApprover(),
  });
  const { store, ledger } = host.state;
  const { sessionId } = (await host.run("go", { member: "trunk" })).transcript!;
  const spec = (identity: string) => ({ identity, role: "main", launchMode: "fresh" }) as const;
  await host.runtime.fork("trunk", spec("branch"), { at: 1 });
  const gone = await host.runtime.fork("trunk", spec("gone"));
  const twig = await host.runtime.fork("gone", spec("twig"));
  await host.run("more", { sessionId: twig.sessionId });
  await store.setState(gone.sessionId, { state: "tombstone" });
  const cancelled = await host.runtime.prepare(host.facts, { sessionId });
  await cancelled.run("to be kept");
  const lease = await store.acquireLease(sessionId, { owner: "test", ttlMs: 60_000 });
  const { rev } = await store.head(sessionId);
  const sideState = (["share", "copy", "reset"] as const).map((onFork) => ({
    kind: `note.${onFork}`,
    onFork,
    value: { onFork },
  }));
  const write = await store.append(sessionId, {
    lease,
    expectedRev: rev,
    messages: [{ role: "user", content: "taken back" }],
    sideState,
  });
  await store.cancel(sessionId, {
    lease,
    expectedRev: write.rev,
    to: write.len - 1,
    reason: "test",
    messages: [],
  });
  await store.releaseLease(lease);
  await host.runtime.fork("trunk", spec("sharing"));
  await ledger.rules.add({ toolName: "write", effect: "deny", scope: "global", reason: "no" });
  await ledger.approvals.put(question(sessionId));
  return host;
}

function question(sessionId: string) {
  const at = Date.now();
  const call = {
    callKey: "k",
    agentId: "main",
    toolName: "write",
    input: {},
    sideEffectLevel: "local_state",
    digest: "sha256:x",
  } as const;
  return {
    approvalId: "q1",
    ...call,
    sessionId,
    state: "open",
    createdAt: at,
    expiresAt: at + 60_000,
  } as never;
}

async function files(): Promise<HostState> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "basis-move-")));
  const state = await openState(directory);
  onTestFinished(async () => {
    await state.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return state;
}

async function database(): Promise<HostState> {
  const state = await openDatabaseState(`move ${process.pid} ${Math.random()}`);
  onTestFinished(() => state.close());
  return state;
}

const named = (name: string, state: HostState): NamedState => ({ name, state });

test("a state is the same in files, in a database and in files again, and turns go on in each", async () => {
  const host = await livedIn();
  const before = await fingerprintOf(host.state, signal);
  expect(before).toMatchObject({ sessions: 5, rules: 1, approvals: 1 });
  expect(before.intents).toBeGreaterThan(0);
  const middle = await database();
  expect(await moveState(named("here", host.state), named("there", middle), { signal, report })).toEqual(
    before,
  );
  const back = await files();
  expect(await moveState(named("there", middle), named("back", back), { signal, report })).toEqual(before);
  for (const state of [middle, back]) {
    const { sessionId } = (await state.store.members.get("twig"))!;
    const texts: string[] = [];
    for await (const { body } of state.store.read(sessionId)) texts.push(JSON.stringify(body.content));
    expect(texts.join()).toContain("two");
    const shared = { kind: "note.share", onFork: "share", value: "changed" } as const;
    const trunk = (await state.store.members.get("trunk"))!.sessionId;
    const lease = await state.store.acquireLease(trunk, { owner: "x", ttlMs: 5000 });
    const { rev } = await state.store.head(trunk);
    await state.store.append(trunk, {
      lease,
      expectedRev: rev,
      messages: [{ role: "user", content: "on" }],
      sideState: [shared],
    });
    const sharing = (await state.store.members.get("sharing"))!.sessionId;
    expect(await state.store.sideState(sharing, "note.share")).toMatchObject({ value: "changed" });
    const forks = await state.store.operations.ofSession(sharing);
    expect(forks).toMatchObject({ state: "seated", child: { member: "sharing" } });
    await state.store.upkeep!.collect({ signal });
    expect(await state.ledger.approvals.get("q1")).toMatchObject({ state: "open" });
  }
});

test("what was interrupted anywhere goes on where it stopped, and ends the same", async () => {
  const host = await livedIn();
  const target = await database();
  const from = named("here", host.state);
  const whole = await fingerprintOf(host.state, signal);
  const { store } = target;
  const deaths: unknown[] = [];
  let moved: unknown;
  for (let steps = 0; steps < 40; steps += 1) {
    let left = steps;
    const step = <T>(work: () => Promise<T>): Promise<T> => {
      if (left === 0) throw new Error("killed");
      left -= 1;
      return work();
    };
    const { archive } = store;
    const dying: HostState = {
      ...target,
      store: {
        ...store,
        archive: {
          ...archive!,
          stage: (...given) => step(() => archive!.stage(...given)),
          settle: (...given) => step(() => archive!.settle(...given)),
        },
      },
      tables: { ...target.tables!, add: (...given) => step(() => target.tables!.add(...given)) },
    };
    moved = await moveState(from, named("there", dying), { signal, report }).catch((error: Error) => error);
    if (!(moved instanceof Error)) break;
    deaths.push([moved.message, await target.tables!.movedFrom()]);
  }
  expect(moved).toEqual(whole);
  expect(deaths.length).toBeGreaterThan(3);
  expect(deaths).toEqual(deaths.map(() => ["killed", "here"]));
  expect(await target.tables!.movedFrom()).toBeUndefined();
});

test("a target that holds something, another move's rest and a session in use are refused, and nothing is changed", async () => {
  const host = await livedIn();
  const from = named("here", host.state);
  const taken = await database();
  await taken.ledger.rules.add({ toolName: "x", effect: "deny", scope: "global" });
  const move = (to: HostState, source = from) => moveState(source, named("there", to), { signal, report });
  await expect(move(taken)).rejects.toThrow("there is not empty");
  const rest = await database();
  await rest.tables!.noteMove("elsewhere");
  await expect(move(rest)).rejects.toThrow("there holds a part of elsewhere");
  expect((await fingerprintOf(rest, signal)).sessions).toBe(0);
  const { sessionId } = (await host.state.store.members.get("trunk"))!;
  const lease = await host.state.store.acquireLease(sessionId, { owner: "somebody", ttlMs: 60_000 });
  await expect(move(await database())).rejects.toThrow("is held by somebody");
  await host.state.store.releaseLease(lease);
});
