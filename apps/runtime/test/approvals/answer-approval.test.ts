import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { manualClock } from "@basis/core/testing";
import { expect, test } from "vitest";
import { answerApproval, findApproval, type ApprovalAnswer } from "../../src/approvals/answer-approval.ts";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost } from "../harness/test-host.ts";

const mainWith = (value: string) => [calls({ name: "probe", input: { value } }), { text: "done" }];

/** A host with a question, and a person's script that answers it. */
async function asked(value = "x", secrets: readonly string[] = []) {
  const approver = new RecordingApprover(() => ({ decision: "park" }));
  const host = await openTestHost({
    agents: { main: mainWith(value) },
    tools: [probeTool("probe")],
    approver,
    secrets,
  });
  const { approvalId: id, transcript } = await host.run("go");
  const { approvals, rules } = host.state.ledger;
  const tokenFile = join(dirname(host.root), "token");
  writeFileSync(tokenFile, makeGrantToken(host.dataDir));
  chmodSync(tokenFile, 0o600);
  const { signal } = new AbortController();
  const person = { env: {}, dataDir: host.dataDir, directory: host.root, tokenFile, signal };
  const answer = (change: Partial<ApprovalAnswer> = {}) =>
    answerApproval(host.state, { id: id!, decision: "allow", person, ...change });
  return { host, id: id!, approvals, rules, answer, person, sessionId: transcript!.sessionId };
}

const refused = (text: string) =>
  expect.objectContaining({ name: "ApprovalRefusal", message: expect.stringContaining(text) });

test("an answer is recorded with who gave it, when and why, and told", async () => {
  const { id, approvals, rules, answer } = await asked();
  const before = Date.now();
  const { view, lines } = await answer({ decision: "deny", reason: "not now" });
  expect(lines).toEqual([`denied ${id}`]);
  expect(view).toMatchObject({ approval: id, state: "open" });
  const { state, resolution } = (await approvals.get(id))!;
  expect(state).toBe("denied");
  expect(resolution).toMatchObject({ decision: "deny", reason: "not now" });
  expect(resolution!.by).toMatch(/ with the token$/);
  expect(resolution!.at).toBeGreaterThanOrEqual(before);
  expect(await rules.list()).toEqual([]);
});

test("an answer without a reason has none", async () => {
  const { id, approvals, answer } = await asked();
  expect((await answer()).lines).toEqual([`allowed ${id}`]);
  expect(Object.keys((await approvals.get(id))!.resolution!)).not.toContain("reason");
});

test("what is remembered is kept after the answer, for as long and as far as was said", async () => {
  const { id, rules, answer } = await asked();
  const before = Date.now();
  const { lines } = await answer({ remember: { scope: "workspace", forMs: 60_000 } });
  const [rule] = await rules.list();
  expect(lines).toEqual([
    `allowed ${id}`,
    `kept as rule ${rule!.id}; forget it with: basis rules revoke ${rule!.id}`,
    // A script that holds a token saw no question.
    "also allows this same call again, by any agent, in this workspace; nothing else",
  ]);
  expect(rule).toMatchObject({ effect: "allow", scope: "workspace", pattern: { exact: { value: "x" } } });
  expect(rule!.expiresAt! - before).toBeGreaterThanOrEqual(60_000);
  expect(rule!.expiresAt! - before).toBeLessThan(120_000);
});

test("a call with a secret in it is answered alone: without it no rule would match", async () => {
  const { id, approvals, rules, answer } = await asked("hunter2-hunter2", ["hunter2-hunter2"]);
  for (const decision of ["allow", "deny"] as const)
    await expect(answer({ decision, remember: { scope: "workspace" } })).rejects.toThrow(
      "answer this call alone",
    );
  expect((await approvals.get(id))!.state).toBe("open");
  await answer({ decision: "deny" });
  expect((await approvals.get(id))!.state).toBe("denied");
  expect(await rules.list()).toEqual([]);
});

test("a refusal is remembered as one, with its reason, and for good unless said otherwise", async () => {
  const { rules, answer } = await asked();
  await answer({ decision: "deny", reason: "never", remember: { scope: "session" } });
  const [rule] = await rules.list();
  expect(rule).toMatchObject({ effect: "deny", reason: "never", scope: "session" });
  expect(rule!.expiresAt).toBeUndefined();
});

// S6, C52
test("an answer from nobody, or a second one, changes nothing and keeps no rule", async () => {
  const { id, approvals, rules, answer, person } = await asked();
  const remember = { scope: "global" } as const;
  const nobody = { ...person, tokenFile: join(person.dataDir, "none") };
  await expect(answer({ person: nobody, remember })).rejects.toThrow("is no file with a token");
  const agent = { ...person, env: { BASIS_LINEAGE: "1" } };
  await expect(answer({ person: agent, remember })).rejects.toThrow("approvals allow");
  expect((await approvals.get(id))!.state).toBe("open");
  await answer();
  await expect(answer({ decision: "deny", remember })).rejects.toThrow(
    refused("was answered already: allowed by "),
  );
  expect((await approvals.get(id))!.state).toBe("allowed");
  expect(await rules.list()).toEqual([]);
});

test("an answer after the call has run, or too late, says which", async () => {
  const { host, answer, sessionId } = await asked();
  await answer();
  await host.run(undefined, { sessionId });
  await expect(answer()).rejects.toThrow(refused("was used: its call has run, allowed by "));
  const late = await openTestHost({
    agents: { main: mainWith("x") },
    tools: [probeTool("probe")],
    approver: new RecordingApprover(() => ({ decision: "park" })),
    clock: manualClock(1000),
  });
  const { approvalId } = await late.run("go");
  const { signal } = new AbortController();
  const person = { env: {}, dataDir: late.dataDir, directory: late.root, signal };
  await expect(answerApproval(late.state, { id: approvalId!, decision: "allow", person })).rejects.toThrow(
    refused("has expired"),
  );
});

// Another process may be quicker while a person thinks.
test.each([
  ["unknown", "is not there any more"],
  ["expired", "expired before it was answered"],
  ["resolved", "was answered meanwhile"],
  ["redeemed", "was answered and used meanwhile"],
] as const)("an answer that finds it %s by then keeps no rule and says so", async (problem, words) => {
  const { host, id, rules, person } = await asked();
  const { ledger } = host.state;
  const approvals = { ...ledger.approvals, resolve: () => ({ ok: false, problem }) as const };
  const quicker = { ...host.state, ledger: { ...ledger, approvals } } as typeof host.state;
  const answer = { id, decision: "allow", person, remember: { scope: "global" } } as const;
  await expect(answerApproval(quicker, answer)).rejects.toThrow(
    refused(`${id} ${words}; nothing was changed`),
  );
  expect(await rules.list()).toEqual([]);
});

test("a question is found by its id, or by the last characters that name one alone", async () => {
  const { host, id, approvals } = await asked();
  const record = await approvals.get(id);
  for (const name of [id, id.slice(-4), id.slice(-12)])
    expect(await findApproval(approvals, name)).toBe(record);
  for (const name of [id.slice(-3), "", "none-of-them", id.slice(0, -1)])
    await expect(findApproval(approvals, name)).rejects.toThrow(refused("there is no approval"));
  const twin = { ...record!, approvalId: `another-${id}` };
  const two = { ...host.state.ledger.approvals, list: () => [record!, twin] };
  await expect(findApproval(two, id.slice(-8))).rejects.toThrow(refused("several approvals end with"));
  expect(await findApproval(two, id)).toBe(record);
});

test("an answer whose rule cannot be kept stands, and the error says so and why", async () => {
  const { host, id, approvals, rules, person } = await asked();
  const full = new Error("disk full");
  const { ledger } = host.state;
  const state = {
    ...host.state,
    ledger: { ...ledger, rules: { ...rules, add: () => Promise.reject(full) } },
  };
  const answered = answerApproval(state, {
    id,
    decision: "allow",
    person,
    remember: { scope: "workspace" },
  });
  await expect(answered).rejects.toMatchObject({
    name: "UnkeptRuleError",
    message: expect.stringMatching(
      new RegExp(`^allowed ${id}: the answer stands, but not every rule of it was kept.*: disk full$`),
    ),
    cause: full,
  });
  expect((await approvals.get(id))!.state).toBe("allowed");
  expect(await rules.list()).toEqual([]);
});
