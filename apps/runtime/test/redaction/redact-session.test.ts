import { join } from "node:path";
import { loadDriver } from "@mobkit/session-sqlite";
import { expect, test } from "vitest";
import type { SessionRedaction } from "../../src/redaction/redact-session.ts";
import { textOutcome } from "../../src/tools/tool.ts";
import { hasDatabase } from "../harness/database-state.ts";
import { bytesWith } from "../harness/kept-bytes.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, keptKind, resultsOf, type TestHost, type TestHostOptions } from "../harness/test-host.ts";
import { agents, nothingLeft, openProbing, redact, SECRET } from "./redacting.ts";

const open = (options: TestHostOptions = {}): Promise<TestHost> =>
  openProbing({ state: keptKind, ...options });

test("S32: no file holds a text that was taken out, its forks show that, and the session goes on", async () => {
  const host = await open({ agents });
  const report = await host.run(`remember ${SECRET}`);
  const { sessionId } = report.transcript!;
  const branch = await host.runtime.fork((await host.state.store.head(sessionId)).binding!.member, {
    identity: "branch",
    role: "main",
    launchMode: "fresh",
  });
  const done = await redact(host, branch.sessionId);
  expect(done).toMatchObject({ messages: 4, notReached: nothingLeft });
  expect(done.events).toBeGreaterThan(3);
  for (const id of [sessionId, branch.sessionId])
    expect(JSON.stringify(await host.transcript(id))).toContain("remember [redacted]");
  await host.run("go on", { sessionId });
  expect(JSON.stringify(host.models.requests.at(-1))).not.toContain("CANARY");
  expect(await redact(host, sessionId)).toMatchObject({ messages: 0, events: 0, notReached: nothingLeft });
  expect(await bytesWith(host)).toEqual([]);
});

test("without a redaction the files hold it, so the search finds what is there", async () => {
  const host = await open({ agents });
  await host.run(`remember ${SECRET}`);
  expect(await bytesWith(host)).toEqual(expect.arrayContaining([hasDatabase ? "message" : "sessions.db"]));
});

test("S32: a message as a whole goes with what the log tells of it and its calls, and nothing else does", async () => {
  const host = await open({ agents });
  const { sessionId } = (await host.run("a harmless prompt")).transcript!;
  const wholeIds: string[] = [];
  for await (const { id } of host.state.store.read(sessionId, { from: 1, to: 4 })) wholeIds.push(id);
  const done = await redact(host, sessionId, { texts: [], wholeIds });
  expect(done).toMatchObject({ messages: 3, notReached: nothingLeft });
  const [prompt, said, result] = await host.transcript(sessionId);
  expect(prompt).toMatchObject({ content: "a harmless prompt" });
  expect(said).toMatchObject({ content: [{ text: "[redacted]" }, { toolCallId: "c1", input: {} }] });
  expect(resultsOf([result!])).toMatchObject({ c1: { value: "[redacted]" } });
  await host.run("go on", { sessionId });
  expect(await bytesWith(host, "CANARY")).toEqual([]);
});

test("S32: what a cancel took back, long results and inputs of forks go too", async () => {
  const long = `${"x".repeat(70_000)} ${SECRET}`;
  const tools = [probeTool("probe", { run: () => textOutcome(long) })];
  const host = await open({
    agents: { main: [calls({ name: "probe", input: {}, id: "c1" }), { text: "done" }] },
    tools,
  });
  const { sessionId } = (await host.run("go")).transcript!;
  const { store } = host.state;
  const lease = await store.acquireLease(sessionId, { owner: "test", ttlMs: 60_000 });
  const { rev, len } = await store.head(sessionId);
  const taken = { role: "user", content: `taken back: ${SECRET}` } as const;
  const written = await store.append(sessionId, { lease, expectedRev: rev, messages: [taken] });
  await store.cancel(sessionId, { lease, expectedRev: written.rev, to: len, reason: `it said ${SECRET}` });
  await store.releaseLease(lease);
  await host.runtime.fork((await store.head(sessionId)).binding!.member, {
    identity: "branch",
    role: "main",
    launchMode: "fresh",
    initialMessage: { role: "user", content: `begin with ${SECRET}` },
  });
  const done = await redact(host, sessionId);
  expect(done).toMatchObject({ messages: 2, blobs: 2, notReached: nothingLeft });
  expect(await bytesWith(host)).toEqual([]);
});

test("S32: a question that waits with the text is denied, and its call goes on as refused", async () => {
  const approver = new RecordingApprover({ decision: "park" });
  const host = await open({ agents, approver });
  const parked = await host.run(`use ${SECRET}`);
  const { sessionId } = parked.transcript!;
  const done = await redact(host, sessionId);
  expect(done).toMatchObject({
    ledger: { approvals: 1, denied: [parked.approvalId] },
    notReached: nothingLeft,
  });
  expect(await host.state.ledger.approvals.get(parked.approvalId!)).toMatchObject({
    state: "denied",
    digest: "redacted",
    input: { value: "[redacted]" },
  });
  const report = await host.run(undefined, { sessionId });
  expect(report.outcome).toBe("completed");
  expect(JSON.stringify(resultsOf(await host.transcript(sessionId))["c1"])).toContain("was redacted");
  expect(host.facts.tools.get("probe")).toMatchObject({ ran: [] });
});

test("S32: an allow rule with the text is forgotten; a denial with it denies more, never less", async () => {
  const host = await open({ agents });
  const { rules } = host.state.ledger;
  const pattern = { fields: { value: SECRET } };
  const allow = await rules.add({ toolName: "probe", effect: "allow", scope: "global", pattern });
  const deny = await rules.add({
    toolName: "other",
    effect: "deny",
    scope: "global",
    pattern,
    reason: SECRET,
  });
  const gone = await rules.add({ toolName: "probe", effect: "deny", scope: "global", pattern });
  await rules.revoke(gone.id);
  const other = { toolName: "probe", scope: "workspace", pattern: { fields: { value: "x" } } } as const;
  const here = { agent: `${SECRET}/child`, within: `/home/${SECRET}` };
  const placed = await rules.add({ ...other, ...here, effect: "deny" });
  const kept = await rules.add({ ...other, effect: "allow" });
  const { sessionId } = (await host.run(`use ${SECRET}`)).transcript!;
  const done = await redact(host, sessionId);
  expect(done.ledger).toMatchObject({
    forgottenRules: [allow.id, gone.id],
    widenedRules: [deny.id, placed.id],
  });
  expect(await rules.list()).toEqual([
    expect.objectContaining({ id: deny.id, effect: "deny", reason: "[redacted]" }),
    expect.objectContaining({ ...other, id: placed.id }),
    kept,
  ]);
  expect((await rules.find({ toolName: "other" }))[0]).not.toHaveProperty("pattern");
  const [anywhere] = await rules.find({ toolName: "probe" });
  expect([anywhere!.within, anywhere!.agent]).toEqual([undefined, undefined]);
  expect(done.notReached).toEqual(nothingLeft);
});

test("S32: a run whose transcript is redacted meanwhile asks its next round without it", async () => {
  let host: TestHost | undefined;
  let sessionId = "";
  let done: SessionRedaction | undefined;
  const onRequest: TestHostOptions["onRequest"] = async (request) => {
    ({ sessionId } = request);
    done ??= await redact(host!, sessionId);
  };
  host = await open({ agents, onRequest });
  await host.run(`remember ${SECRET}`);
  expect(done!.notReached.running).toEqual([sessionId]);
  const [first, second] = host.models.requests;
  expect(JSON.stringify(first!.messages)).toContain("CANARY");
  expect(JSON.stringify(second!.messages[0])).toContain("remember [redacted]");
  expect(second!.messages).toHaveLength(3);
  expect((await redact(host, sessionId)).notReached).toEqual(nothingLeft);
  expect(await bytesWith(host)).toEqual([]);
});

// The store's own tests have a reader of tables.
test.skipIf(hasDatabase)(
  "S32: a reader that keeps replaced bytes is told of, and the repetition clears them away",
  { timeout: 60_000 },
  async () => {
    const host = await open({ agents, busyTimeoutMs: 300 });
    const { sessionId } = (await host.run(`remember ${SECRET}`)).transcript!;
    const driver = await loadDriver();
    const readers = ["sessions.db", "events.db"].map((name) => {
      const reader = driver.open(join(host.dataDir, name), { readOnly: true });
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM sqlite_schema").get();
      return reader;
    });
    expect((await redact(host, sessionId)).notReached).toEqual({
      ...nothingLeft,
      unpurged: ["sessions.db", "events.db"],
    });
    for (const reader of readers) reader.exec("COMMIT");
    expect((await redact(host, sessionId)).notReached).toEqual(nothingLeft);
    for (const reader of readers) reader.close();
    expect(await bytesWith(host)).toEqual([]);
  },
);

test("S32: other sessions' messages are named, and --everywhere takes them; request heads go in any case", async () => {
  const files = { "AGENTS.md": `Our key is ${SECRET}.` };
  const host = await open({ agents, files });
  const { store } = host.state;
  const one = (await host.run(`remember ${SECRET}`)).transcript!.sessionId;
  const other = (await host.run(`also ${SECRET}`)).transcript!.sessionId;
  const done = await redact(host, one);
  expect(done).toMatchObject({
    requestHeads: [one, other],
    notReached: {
      elsewhere: [{ session: other, isDeleted: false, messages: 4 }],
      requestHeads: [],
      messages: 0,
      tables: {},
    },
  });
  await store.setState(other, { state: "tombstone" });
  const all = await redact(host, one, { everywhere: true });
  expect(all).toMatchObject({ messages: 4, requestHeads: [], notReached: nothingLeft });
  expect((await store.head(one)).requestHead).toBeNull();
  await host.run("go on", { sessionId: one });
  expect((await store.head(one)).requestHead).toMatch(/^sha256:/);
  expect(await redact(host, one)).toMatchObject({ requestHeads: [one], notReached: nothingLeft });
  expect(await bytesWith(host)).toEqual([]);
});
