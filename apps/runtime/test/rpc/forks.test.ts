import type { Provisioner } from "@mobkit/fork";
import { describe, expect, it } from "vitest";
import type { ModelMessage } from "../../src/providers/model.ts";
import { forkMethods } from "../../src/rpc/methods/fork-methods.ts";
import type { RpcCaller } from "../../src/rpc/rpc-method.ts";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import {
  calls,
  openTestHost,
  stateKinds,
  type StateKind,
  type TestHostOptions,
} from "../harness/test-host.ts";
import { connect } from "./support/client.ts";

const agents = { main: [calls({ name: "list", input: {} }), { text: "done" }] };

async function setUp(state: StateKind = "memory", options: TestHostOptions = {}) {
  const host = await openTestHost({ state, agents, ...options });
  const report = await host.run("go", { member: "source" });
  return { host, client: connect(host), source: report.transcript!.sessionId };
}

const fork = { source_member_id: "source", agent_identity: "child", role: "main" };

// F116
describe.each(stateKinds)("mobkit/fork_member, with the state in %s", (state) => {
  it("forks at a point and answers every field of the result", async () => {
    const { client, source } = await setUp(state);
    const result = await client.call("mobkit/fork_member", { ...fork, at: 1, labels: { why: "test" } });
    expect(result).toEqual({
      operation_id: expect.any(String),
      source_member_alias: "source",
      member_alias: "child",
      agent_identity: "child",
      session_id: expect.any(String),
      message_count: 1,
      prefix_digest: expect.any(String),
      lineage: { session_id: source, len: 1, digest: result.prefix_digest },
      cache_inheritance: expect.objectContaining({ status: expect.any(String) }),
      replayed: false,
      degraded: expect.any(Array),
    });
    const { messages } = await client.call("sessions/read", { session: "child" });
    expect(messages).toMatchObject([{ position: 0, message: { role: "user", content: "go" } }]);
    const status = await client.call("mobkit/fork_status", { operation_id: result.operation_id });
    expect(status).toMatchObject({ state: "seated", role: "main", labels: { why: "test" }, failure: null });
    expect(await client.call("mobkit/list_forks", { state: "seated" })).toEqual({
      forks: [status],
      next: null,
    });
  });

  it("answers the same key and body with the same child, and refuses another body", async () => {
    const { client } = await setUp(state);
    const keyed = { ...fork, idempotency_key: "k" };
    const first = await client.call("mobkit/fork_member", keyed);
    expect(await client.call("mobkit/fork_member", keyed)).toEqual({ ...first, replayed: true });
    const refusal = await client.refusal("mobkit/fork_member", { ...keyed, at: 1 });
    expect(refusal).toMatchObject({
      code: rpcCode.conflict,
      data: { kind: "fork_conflict", structured_data: { operation_id: first.operation_id } },
    });
  });

  it("takes a message's id and a turn's as the point, and an expectation", async () => {
    const { client } = await setUp(state);
    const { messages } = await client.call("sessions/read", { session: "source" });
    const at = { message_id: messages[2].id };
    expect(await client.call("mobkit/fork_member", { ...fork, at })).toMatchObject({ message_count: 3 });
    const more = { ...fork, agent_identity: "other" };
    const expecting = { ...more, expect: { revision: 999 } };
    expect(await client.refusal("mobkit/fork_member", expecting)).toMatchObject({
      code: rpcCode.fenced,
      data: { kind: "fork_boundary", structured_data: { reason: "revision_changed" } },
    });
    expect(await client.refusal("mobkit/fork_member", { ...more, at: { turn_id: "none" } })).toMatchObject({
      code: rpcCode.boundary,
    });
  });
});

// F117
describe("a refusal of mobkit/fork_member", () => {
  it.each([
    ["a blank child", { agent_identity: " " }, "blank_child"],
    ["a blank source", { source_member_id: "" }, "blank_source"],
    ["another launch mode", { launch_mode: "fork" }, "launch_mode"],
    ["placement", { placement: { host: "far" } }, "placement"],
    ["a reserved label", { labels: { agent_identity: "x" } }, "reserved_label"],
  ])("names the reason of %s, without structured data", async (_what, change, reason) => {
    const { client } = await setUp();
    const { code, data } = await client.refusal("mobkit/fork_member", { ...fork, ...change });
    expect(code).toBe(rpcCode.invalid_params);
    expect(data).toEqual({ kind: "invalid_request", retry: "after_fix", committed: false, reason });
    expect(await client.call("mobkit/list_forks")).toEqual({ forks: [], next: null });
  });

  it("has a code for each of split, not found, taken and an unknown field", async () => {
    const { client } = await setUp();
    expect(await client.refusal("mobkit/fork_member", { ...fork, at: 2 })).toMatchObject({
      code: rpcCode.split,
      data: { structured_data: { kind: "fork_boundary", nearest_before: 1, nearest_after: 3 } },
    });
    expect(await client.refusal("mobkit/fork_member", { ...fork, source_member_id: "none" })).toMatchObject({
      code: rpcCode.not_found,
    });
    expect(await client.refusal("mobkit/fork_member", { ...fork, agent_identity: "source" })).toMatchObject({
      code: rpcCode.conflict,
    });
    expect(await client.refusal("mobkit/fork_member", { ...fork, sorce: 1 })).toMatchObject({
      code: rpcCode.invalid_params,
      data: { issues: [{ message: expect.stringContaining("sorce") }] },
    });
    expect(await client.refusal("mobkit/fork_status", {})).toMatchObject({ code: rpcCode.invalid_params });
  });
});

/** Fails as often as told, then seats. */
function flakyProvisioner(failures: number): Provisioner<ModelMessage> {
  let left = failures;
  return {
    async provision() {
      if (left-- > 0) throw new Error("no room");
      return {};
    },
  };
}

// F118, F119
describe("a fork that was committed and not seated", () => {
  it("tells a client by its data how to go on, and is resumed under another name", async () => {
    const { client } = await setUp("memory", { provisioner: flakyProvisioner(1) });
    const { code, data } = await client.refusal("mobkit/fork_member", fork);
    expect(code).toBe(rpcCode.unseated);
    expect(data).toMatchObject({ retry: "resume", committed: true });
    const structured = data["structured_data"] as Record<string, string>;
    expect(structured).toMatchObject({
      kind: "fork_member_provision_failed",
      member_id: "child",
      recovery: "resume_committed_fork_session",
      reason: expect.stringContaining("no room"),
    });
    expect(await client.call("mobkit/list_forks", { state: "committed" })).toMatchObject({
      forks: [{ operation_id: structured["operation_id"], state: "committed" }],
    });
    const by = { session_id: structured["fork_session_id"]!, agent_identity: "renamed" };
    const result = await client.call("mobkit/resume_fork", by);
    expect(result).toMatchObject({ member_alias: "renamed", session_id: by.session_id, replayed: false });
    expect(await client.call("mobkit/resume_fork", { operation_id: result.operation_id })).toMatchObject({
      replayed: true,
    });
  });

  it("is abandoned once and for all, and its name is free", async () => {
    const { client } = await setUp("memory", { provisioner: flakyProvisioner(1) });
    const { data } = await client.refusal("mobkit/fork_member", fork);
    const { operation_id } = data["structured_data"] as { operation_id: string };
    expect(await client.call("mobkit/abandon_fork", { operation_id })).toMatchObject({ state: "abandoned" });
    expect(await client.refusal("mobkit/resume_fork", { operation_id })).toMatchObject({
      code: rpcCode.closed,
      data: { kind: "fork_operation_closed" },
    });
    expect(await client.call("mobkit/fork_member", fork)).toMatchObject({ member_alias: "child" });
    expect(await client.refusal("mobkit/abandon_fork", { operation_id: "none" })).toMatchObject({
      code: rpcCode.not_found,
    });
  });
});

// F120
it("checks a fork against the registry of identities of the one who asks", async () => {
  const { host } = await setUp();
  const method = forkMethods(host).find(({ name }) => name === "mobkit/fork_member")!;
  const asked: string[] = [];
  const identityAuthority = {
    resolveAlias: async (alias: string) => {
      asked.push(alias);
      return alias === "source" ? { identity: alias, generation: 1, state: "resetting" } : undefined;
    },
    holdLifecycle: async () => ({ release: () => undefined }),
  };
  const caller = { signal: new AbortController().signal } as RpcCaller;
  const refused = method.call(fork as never, { ...caller, identityAuthority });
  await expect(refused).rejects.toMatchObject({ kind: "source_authority", details: { state: "resetting" } });
  expect(asked).toContain("source");
  expect(await method.call(fork as never, caller)).toMatchObject({ member_alias: "child" });
});
