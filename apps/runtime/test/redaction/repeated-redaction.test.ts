import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportSession, importSession, type ExportSource, type ImportTarget } from "@mobkit/session/bundle";
import { expect, onTestFinished, test } from "vitest";
import type { ModelMessage } from "../../src/providers/model.ts";
import { BoundedPattern } from "../../src/redaction/bounded-pattern.ts";
import { matchingTexts } from "../../src/redaction/matching-texts.ts";
import { planRedaction } from "../../src/redaction/plan-redaction.ts";
import { redactSession, type SessionRedaction } from "../../src/redaction/redact-session.ts";
import { openState, type HostState } from "../../src/store/open-state.ts";

const SPOKEN = "key-AAAA1111";
const LOGGED = "key-BBBB2222";
const pattern = new BoundedPattern("key-[A-Z]{4}\\d{4}");
const { signal } = new AbortController();
const at = { now: Date.now(), signal };

/** A state in a directory of its own. */
async function open(): Promise<{ readonly directory: string; readonly state: HostState }> {
  const directory = mkdtempSync(join(tmpdir(), "redaction-"));
  const state = await openState(directory);
  onTestFinished(async () => {
    await state.close();
    rmSync(directory, { recursive: true });
  });
  return { directory, state };
}

/** A state whose process ends behind so many steps that change something. */
function endingAfter(state: HostState, count: number): HostState {
  let left = count;
  const step = <T>(work: () => T): T => {
    if (left === 0) throw new Error("killed");
    left -= 1;
    return work();
  };
  const { events, store } = state;
  const upkeep: typeof store.upkeep = {
    ...store.upkeep!,
    redact: (request) => step(() => store.upkeep!.redact(request)),
  };
  const steps: Partial<typeof events> = {
    purge: () => step(() => events.purge()),
    rewrite: (...args) =>
      args[2]?.dryRun === true ? events.rewrite(...args) : step(() => events.rewrite(...args)),
  };
  const between = new Proxy(events, {
    get(target, name) {
      const own = (Object.hasOwn(steps, name) ? steps : target)[name as keyof typeof events] as unknown;
      return typeof own === "function" ? (own.bind(target) as unknown) : own;
    },
  });
  return { ...state, events: between, store: { ...store, upkeep } };
}

async function redact(state: HostState, sessionId: string): Promise<SessionRedaction> {
  const session = await state.store.head(sessionId);
  const { spoken, logged } = await matchingTexts(state, session, { pattern, signal });
  const order = {
    session,
    texts: [...spoken, ...logged],
    loggedTexts: logged,
    wholeIds: [],
    everywhere: true,
  };
  return redactSession(state, await planRedaction(state, order, at), at);
}

/** Writes messages into a new session; answers its id. */
async function sessionOf({ store }: HostState, member: string, texts: readonly string[]): Promise<string> {
  const { id } = await store.createSession({ member, role: "main" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 60_000 });
  const messages = texts.map((content) => ({ role: "user", content }) as const);
  await store.append(id, { lease, expectedRev: 0, messages });
  await store.releaseLease(lease);
  return id;
}

async function takeBackTo({ store }: HostState, id: string, to: number): Promise<void> {
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 60_000 });
  const { rev } = await store.head(id);
  await store.cancel(id, { lease, expectedRev: rev, to, reason: "no" });
  await store.releaseLease(lease);
}

/** What of the files holds the text, looked at as bytes when nobody has them open. */
async function filesWith(
  { directory, state }: Awaited<ReturnType<typeof open>>,
  text: string,
): Promise<readonly string[]> {
  await state.close();
  const files = ["sessions.db", "events.db"].flatMap((name) => [name, `${name}-wal`]);
  return files.filter((name) => {
    const path = join(directory, name);
    return existsSync(path) && readFileSync(path).includes(text);
  });
}

test(
  "S32: a redaction by a pattern that ended behind any of its steps is finished by its repetition",
  { timeout: 120_000 },
  async () => {
    let hasEnded = true;
    let steps = 0;
    for (; hasEnded; steps += 1) {
      hasEnded = false;
      const opened = await open();
      const { state } = opened;
      const others = await sessionOf(state, "other", [`${SPOKEN} and ${LOGGED}`]);
      const many = Array.from({ length: 200 }, (_, each) => `${each} ${SPOKEN}`);
      const id = await sessionOf(state, "one", [...many, `taken back: ${SPOKEN} ${LOGGED}`]);
      await takeBackTo(state, id, 200);
      state.events.emit({ session: id, run: "r" }, "error", { code: "internal", message: LOGGED });
      state.events.emit({ session: id, run: "r" }, "error", { code: "internal", message: SPOKEN });
      const failure = await redact(endingAfter(state, steps), id).then(
        () => undefined,
        (error: Error) => error.message,
      );
      expect([undefined, "killed"]).toContain(failure);
      hasEnded = failure !== undefined;
      const { notReached } = await redact(state, id);
      const left = { elsewhere: [], messages: 0, events: 0, tables: {}, unpurged: [] };
      expect(notReached, `ended behind step ${steps}`).toMatchObject(left);
      for await (const { body } of state.store.read(others))
        expect(body.content).toBe("[redacted] and [redacted]");
      expect(await filesWith(opened, "key-"), `ended behind step ${steps}`).toEqual([]);
    }
    expect(steps).toBeGreaterThan(6);
  },
);

test("S32: a session that came with a bundle has the ids of its source, and is told and taken apart from it", async () => {
  const opened = await open();
  const { state } = opened;
  const { store } = state;
  const id = await sessionOf(state, "one", ["hello", `remember ${SPOKEN}`]);
  const bundle = exportSession(store as ExportSource<ModelMessage>, id);
  const target = store as ImportTarget<ModelMessage>;
  const { session: copy } = await importSession(target, bundle, { member: "copy", role: "main" });
  const order = { session: await store.head(id), texts: [SPOKEN], wholeIds: [] };
  const first = await redactSession(
    state,
    await planRedaction(state, { ...order, everywhere: false }, at),
    at,
  );
  expect(first).toMatchObject({
    messages: 1,
    notReached: { messages: 0, elsewhere: [{ session: copy.id, isDeleted: false, messages: 1 }] },
  });
  const all = await redactSession(state, await planRedaction(state, { ...order, everywhere: true }, at), at);
  expect(all).toMatchObject({ messages: 1, notReached: { messages: 0, elsewhere: [] } });
  expect(await filesWith(opened, "key-")).toEqual([]);
});

test("S32: what nothing has is told as nothing, and no message counts as redacted for it", async () => {
  const { state } = await open();
  const id = await sessionOf(state, "one", ["hello [redacted]"]);
  const session = await state.store.head(id);
  const found = await matchingTexts(state, session, {
    pattern: new BoundedPattern("\\[.*\\]|acted"),
    signal,
  });
  expect(found).toEqual({ spoken: [], logged: [] });
  expect(await redact(state, id)).toMatchObject({ messages: 0, generation: 0 });
  for await (const row of state.store.read(id)) expect(row.redacted ?? false).toBe(false);
});
