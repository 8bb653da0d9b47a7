import type { ApprovalRecord, StoredRule } from "@basis/approval";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openQueue } from "../../src/queue/open-queue.ts";
import { forgetTurnsWith } from "../../src/queue/forget-turns.ts";
import { BoundedPattern } from "../../src/redaction/bounded-pattern.ts";
import { approvalWithout, ruleWithout } from "../../src/redaction/ledger-text.ts";
import { matchingTexts } from "../../src/redaction/matching-texts.ts";
import { formsOf } from "../../src/redaction/texts.ts";
import { openState } from "../../src/store/open-state.ts";
import { keptKind } from "../harness/test-host.ts";
import { newTurn } from "../queue/support/probe-worker.ts";
import { nothingLeft, openProbing, redact, signal } from "./redacting.ts";

/** Words of what the host keeps beside transcripts. */
const WORDS = formsOf([
  "allow",
  "deny",
  "global",
  "pattern",
  "fields",
  "path",
  "decision",
  "toolName",
  "1764",
]);

const rule: StoredRule = {
  id: "deny-1",
  createdAt: 1_764_000_000_000,
  toolName: "write",
  effect: "allow",
  scope: "global",
  pattern: { fields: { path: "/tmp/*", mode: { equals: "x" } } },
};

const ofCommand: StoredRule = {
  ...rule,
  toolName: "run",
  pattern: { command: { words: ["git", "push"], rest: "any" } },
};

// S32
test.each([
  ["what its field matches", "/tmp", rule],
  ["a word of its command", "push", ofCommand],
  ["a call", "spoken", { ...rule, pattern: { exact: { spoken: 1 } } }],
  ["what it matches as a whole", "spoken", { ...rule, toolName: "spawn", pattern: "*spoken*" }],
  ["its reason", "spoken", { ...rule, reason: "as spoken" }],
] satisfies readonly [string, string, StoredRule][])(
  "a rule goes where %s holds the text",
  (_, text, holding) => {
    const redaction = { forms: formsOf([text]), isRevoked: false };
    expect(ruleWithout(holding, redaction)).toBe("forget");
    const denial = ruleWithout({ ...holding, effect: "deny" }, redaction);
    expect(denial).toMatchObject({ id: rule.id, effect: "deny", toolName: holding.toolName });
    expect(JSON.stringify(denial)).not.toContain(text);
  },
);

// S32
test.each(["allow", "deny"] as const)(
  "a rule that would %s stays where the text is a word of its own",
  (effect) => {
    expect(ruleWithout({ ...rule, effect }, { forms: WORDS, isRevoked: false })).toBeUndefined();
    const forms = formsOf(["words", "rest", "any", "command"]);
    expect(ruleWithout({ ...ofCommand, effect }, { forms, isRevoked: false })).toBeUndefined();
  },
);

// S32
test("an approval's answer keeps its words, and loses what was said with it", () => {
  const record: ApprovalRecord = {
    approvalId: "a1",
    callKey: "s:row-1:c1",
    agentId: "main",
    toolName: "write",
    input: { value: "x" },
    sideEffectLevel: "external",
    digest: "sha256:1",
    state: "denied",
    createdAt: 1_764_000_000_000,
    expiresAt: 1_764_000_000_001,
    resolution: { decision: "deny", by: "someone", reason: "I deny it", at: 1_764_000_000_000 },
  };
  const redaction = { messageIds: [], wholeIds: new Set<string>(), at: 0 };
  expect(approvalWithout(record, { ...redaction, forms: formsOf(["decision", "1764"]) })).toBeUndefined();
  expect(approvalWithout(record, { ...redaction, forms: formsOf(["deny", "someone"]) })).toMatchObject({
    resolution: { ...record.resolution, by: "[redacted]", reason: "I [redacted] it" },
  });
});

// S32
test("a turn that has ended is forgotten for what was said in it, not for what it is made of", async () => {
  const directory = mkdtempSync(join(tmpdir(), "format-words-"));
  const state = await openState(directory);
  onTestFinished(async () => {
    await state.close();
    rmSync(directory, { recursive: true });
  });
  const queue = await openQueue(state);
  onTestFinished(() => queue.close());
  const turn = newTurn({ prompt: "a secret of mine" });
  await queue.enqueue(turn);
  await queue.cancel(turn.id);
  const own = formsOf(["cancelled", "sessionId", "prompt", "bounds", "null", turn.sessionId, turn.id]);
  expect(await forgetTurnsWith(state, own)).toBe(0);
  expect(await queue.get(turn.id)).toMatchObject({ state: "cancelled" });
  expect(await forgetTurnsWith(state, formsOf(["secret"]))).toBe(0);
  expect(await queue.get(turn.id)).toBeUndefined();
  const { digest } = await state.store.blobs.put("an image");
  const named = newTurn({ prompt: "look", images: [{ digest, name: "secret-plan.png" }] });
  await queue.enqueue(named);
  expect(await forgetTurnsWith(state, formsOf(["secret-plan"]))).toBe(1);
  await queue.cancel(named.id);
  expect(await forgetTurnsWith(state, formsOf(["secret-plan"]))).toBe(0);
  expect(await queue.get(named.id)).toBeUndefined();
});

// S32
test("a pattern finds what is said, and no word of the format", async () => {
  const host = await openProbing({ agents: { main: [{ text: "the assistant said" }] } });
  const { sessionId } = (await host.run("the user said")).transcript!;
  const session = await host.state.store.head(sessionId);
  const find = (source: string) =>
    matchingTexts(host.state, session, { pattern: new BoundedPattern(source), signal });
  const found = await find("\\w{4,}");
  expect(found).toMatchObject({ spoken: ["user", "said", "assistant"] });
  expect(found.logged).not.toContain("text");
  expect(await find("mess\\w+|cont\\w+|stop")).toEqual({ spoken: [], logged: [] });
});

// S32
test("a fork's waiting first input keeps its role, and the fork begins with what is left of it", async () => {
  const host = await openProbing({
    agents: { main: [{ text: "done" }, { text: "begun" }] },
    state: keptKind,
  });
  const { sessionId } = (await host.run("go on as the user")).transcript!;
  const { binding } = await host.state.store.head(sessionId);
  const fork = await host.runtime.fork(binding!.member, {
    identity: "branch",
    role: "main",
    launchMode: "fresh",
    initialMessage: { role: "user", content: "the user's content" },
  });
  const done = await redact(host, sessionId, {
    texts: ["user", "content", "role", "message"],
    everywhere: true,
  });
  expect(done.notReached).toEqual({ ...nothingLeft, tables: { fork_op: 1, outbox: 1, store_meta: 1 } });
  await host.run("on", { sessionId: fork.sessionId });
  const said = (await host.transcript(fork.sessionId)).filter(({ role }) => role === "user");
  expect(said.map(({ content }) => content)).toEqual([
    "go on as the [redacted]",
    "the [redacted]'s [redacted]",
    "on",
  ]);
});
