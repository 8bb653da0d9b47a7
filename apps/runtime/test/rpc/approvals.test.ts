import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { forgetGrantToken, makeGrantToken } from "../../src/approvals/grant-token.ts";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, type TestHost } from "../harness/test-host.ts";
import { connect } from "./support/client.ts";

const agents = { main: [calls({ name: "probe", input: { value: "x" } }), { text: "done" }] };

async function park() {
  const probe = probeTool("probe");
  const approver = new RecordingApprover({ decision: "park" });
  const host = await openTestHost({ agents, approver, tools: [probe] });
  const client = connect(host);
  const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
  const { approval_id: approval } = await client.call("runs/wait", { run });
  return { host, client, probe, approval: approval as string };
}

function tokenFile(host: TestHost, token: string, mode = 0o600): string {
  const path = join(dirname(host.root), "token");
  writeFileSync(path, `${token}\n`);
  chmodSync(path, mode);
  return path;
}

describe("a call that waits", () => {
  it("is listed, answered with a person's token, and runs when its session goes on", async () => {
    const { host, client, probe, approval } = await park();
    const { approvals } = await client.call("approvals/list", { session: "writer" });
    expect(approvals).toMatchObject([{ approval, state: "open", tool: "probe", member: "writer" }]);
    const token_file = tokenFile(host, makeGrantToken(host.dataDir));
    const answer = { approval, decision: "allow", token_file };
    expect(await client.call("approvals/answer", answer)).toEqual({
      approval,
      decision: "allow",
      member: "writer",
    });
    const { run } = await client.call("runs/start", { session: "writer" });
    expect(await client.call("runs/wait", { run })).toMatchObject({ status: "completed", text: "done" });
    expect(probe.ran).toHaveLength(1);
    expect(await client.call("approvals/list")).toEqual({ approvals: [], next: null });
    expect(await client.call("approvals/list", { all: true })).toMatchObject({
      approvals: [{ state: "redeemed" }],
    });
    expect(await client.refusal("approvals/answer", answer)).toMatchObject({
      code: rpcCode.closed,
      data: { kind: "approval_closed" },
    });
  });

  it("is listed in pages with others, the oldest first", async () => {
    const { client, approval } = await park();
    const { run } = await client.call("runs/start", { prompt: "go" });
    const { approval_id: second } = await client.call("runs/wait", { run });
    const first = await client.call("approvals/list", { limit: 1 });
    expect(first).toMatchObject({ approvals: [{ approval }], next: approval });
    const rest = await client.call("approvals/list", { limit: 1, after: first.next });
    expect(rest).toMatchObject({ approvals: [{ approval: second }], next: null });
  });

  it("that is denied tells the agent why", async () => {
    const { host, client, probe, approval } = await park();
    const token_file = tokenFile(host, makeGrantToken(host.dataDir));
    await client.call("approvals/answer", {
      approval,
      decision: "deny",
      reason: "not on Fridays",
      token_file,
    });
    const { run, session } = await client.call("runs/start", { session: "writer" });
    await client.call("runs/wait", { run });
    expect(probe.ran).toEqual([]);
    expect(JSON.stringify(await host.transcript(session))).toContain("not on Fridays");
  });
});

// C43
describe("an answer that is remembered", () => {
  const twice = [
    calls({ name: "probe", input: { value: "x" } }),
    calls({ name: "probe", input: { value: "x" } }),
  ];

  it.each([
    ["allow", 2],
    ["deny", 0],
  ] as const)(
    "to %s is shown beforehand, and the same call is not asked about again",
    async (decision, ran) => {
      const probe = probeTool("probe");
      const approver = new RecordingApprover({ decision: "park" });
      const host = await openTestHost({
        agents: { main: [...twice, { text: "done" }] },
        approver,
        tools: [probe],
      });
      const client = connect(host);
      const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
      const { approval_id: approval } = await client.call("runs/wait", { run });
      const remember = { scope: "workspace", for_ms: 60_000 };
      const shown = await client.call("approvals/preview", { approval, decision, remember });
      expect(shown).toEqual({ approval, rules: 1, in_words: expect.any(Array) });
      expect(shown.in_words.join(" ")).toContain("this same call again");
      expect(await host.state.ledger.rules.list()).toEqual([]);
      const token_file = tokenFile(host, makeGrantToken(host.dataDir));
      const answer = { approval, decision, remember, token_file };
      const { rules } = await client.call("approvals/answer", answer);
      expect(await host.state.ledger.rules.list()).toMatchObject([
        { id: rules[0], scope: "workspace", effect: decision, expiresAt: expect.any(Number) },
      ]);
      const more = await client.call("runs/start", { session: "writer" });
      expect(await client.call("runs/wait", { run: more.run })).toMatchObject({ status: "completed" });
      expect([probe.ran.length, approver.asked.length]).toEqual([ran, 1]);
      const listed = { rule: rules[0], tool: "probe", effect: decision, agent: null, dead: null };
      expect(await client.call("rules/list", { tool: "probe" })).toMatchObject({
        rules: [listed],
        next: null,
      });
      expect(await client.call("rules/list", { tool: "other" })).toEqual({ rules: [], next: null });
      expect(await client.refusal("rules/revoke", { rule: rules[0] })).toMatchObject({
        code: rpcCode.forbidden,
      });
      expect(await client.call("rules/revoke", { rule: rules[0], token_file })).toEqual({ rule: rules[0] });
      expect(await client.refusal("rules/revoke", { rule: rules[0], token_file })).toMatchObject({
        code: rpcCode.not_found,
      });
    },
  );

  it("leaves no rule without a person behind it, and none for a question that is closed", async () => {
    const { host, client, approval } = await park();
    const remember = { scope: "global" };
    const answer = { approval, decision: "deny", remember };
    expect(await client.refusal("approvals/answer", answer)).toMatchObject({ code: rpcCode.forbidden });
    const token_file = tokenFile(host, makeGrantToken(host.dataDir));
    await client.call("approvals/answer", { approval, decision: "deny", token_file });
    expect(await client.refusal("approvals/answer", { ...answer, token_file })).toMatchObject({
      code: rpcCode.closed,
    });
    expect(await host.state.ledger.rules.list()).toEqual([]);
  });

  it("is previewed for a question that is there", async () => {
    const { client } = await park();
    const asked = { approval: "none", decision: "allow", remember: { scope: "global" } };
    expect(await client.refusal("approvals/preview", asked)).toMatchObject({ code: rpcCode.not_found });
  });
});

// S6
describe("an answer without a person behind it", () => {
  it.each([
    ["no credential", () => ({})],
    ["a file that is not there", (host: TestHost) => ({ token_file: join(host.dataDir, "none") })],
    [
      "another token",
      (host: TestHost) => (makeGrantToken(host.dataDir), { token_file: tokenFile(host, "guess") }),
    ],
    [
      "a token that was forgotten",
      (host: TestHost) => {
        const token_file = tokenFile(host, makeGrantToken(host.dataDir));
        forgetGrantToken(host.dataDir);
        return { token_file };
      },
    ],
    [
      "a file that others may read",
      (host: TestHost) => ({ token_file: tokenFile(host, makeGrantToken(host.dataDir), 0o644) }),
    ],
    [
      "a file of the workspace, where tools could write it",
      (host: TestHost) => {
        const token_file = join(host.root, "token");
        writeFileSync(token_file, makeGrantToken(host.dataDir), { mode: 0o600 });
        return { token_file };
      },
    ],
  ])("is refused with %s, and the call still waits", async (_what, credential) => {
    const { host, client, probe, approval } = await park();
    const answer = { approval, decision: "allow", ...credential(host) };
    expect(await client.refusal("approvals/answer", answer)).toMatchObject({ code: rpcCode.forbidden });
    expect(await client.call("approvals/list")).toMatchObject({ approvals: [{ approval, state: "open" }] });
    const { run } = await client.call("runs/start", { session: "writer" });
    expect(await client.call("runs/wait", { run })).toMatchObject({ status: "parked" });
    expect(probe.ran).toEqual([]);
  });

  it.each([
    ["the token in the message", { token: "x" }],
    ["standard input as its file", { token_file: "-" }],
    ["a relative path", { token_file: "token" }],
    ["a rule for this process alone", { remember: { scope: "process" } }],
    ["a rule for no time", { remember: { scope: "global", for_ms: 0 } }],
  ])("is no valid call with %s", async (_what, more) => {
    const { client, approval } = await park();
    const answer = { approval, decision: "allow", ...more };
    expect(await client.refusal("approvals/answer", answer)).toMatchObject({ code: rpcCode.invalid_params });
  });

  it("to a question that is not there finds none", async () => {
    const { client, approval } = await park();
    const ending = approval.slice(-6);
    expect(await client.refusal("approvals/answer", { approval: ending, decision: "allow" })).toMatchObject({
      code: rpcCode.not_found,
    });
  });
});
