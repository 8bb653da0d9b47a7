import { memoryRuleStore } from "@basis/approval";
import { committedForkIsRecoverable, type ForkResult } from "@mobkit/fork";
import { describe, expect, test } from "vitest";
import { textOutcome } from "../../src/tools/tool.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, stateKinds, type TestHost } from "../harness/test-host.ts";

const spec = { identity: "branch", role: "main", launchMode: "fresh" } as const;

describe.each(stateKinds)("an agent that forks itself, with the state in %s", (state) => {
  // F52: the fork ends before the round that asked for it.
  test("gets a child whose history ends before the call that made it", async () => {
    let fork: ForkResult | undefined;
    const forkSelf = probeTool("fork_self", {
      run: async () => {
        fork = await host.runtime.fork("trunk", spec, { whileRunning: "settled" });
        return textOutcome(`forked at ${fork.messageCount}`);
      },
    });
    const host: TestHost = await openTestHost({
      state,
      tools: [forkSelf],
      agents: {
        main: [
          [
            { when: { session: "branch" }, text: "in the branch" },
            calls({ name: "fork_self", input: {}, id: "c1" }),
          ],
          { text: "in the trunk" },
        ],
      },
    });
    const report = await host.run("go", { member: "trunk" });
    expect(report).toMatchObject({ outcome: "completed", text: "in the trunk" });
    expect(await host.transcript(fork!.sessionId)).toEqual([{ role: "user", content: "go" }]);
    const branch = await host.run(undefined, { sessionId: fork!.sessionId });
    expect(branch).toMatchObject({ outcome: "completed", text: "in the branch" });
    expect(host.events.data("fork_committed", report.transcript!.sessionId)).toMatchObject([
      { member: "branch", message_count: 1 },
    ]);
  });

  // F85: the first message is delivered once.
  test("sees its first message delivered once, by its first run", async () => {
    const agents = { main: [{ text: "one" }, { text: "two" }, { text: "three" }] };
    const host = await openTestHost({ state, agents });
    await host.run("go", { member: "trunk" });
    const fork = await host.runtime.fork("trunk", { ...spec, initialMessage: "do the other thing" });
    const { sessionId } = fork;
    expect(await host.state.store.head(sessionId)).toMatchObject({ queuedInputs: 1 });
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed", text: "two" });
    await host.run("and this", { sessionId });
    const said = (await host.transcript(sessionId)).filter(({ role }) => role === "user");
    expect(said.map(({ content }) => content)).toEqual(["go", "do the other thing", "and this"]);
    expect(await host.state.store.head(sessionId)).toMatchObject({ queuedInputs: 0 });
  });

  test("does not lose its first message to a cancel", async () => {
    const agents = { main: [{ text: "one" }, { text: "two" }] };
    const host: TestHost = await openTestHost({
      state,
      agents,
      onRequest: (_request, number) => {
        if (number === 2) prepared.cancel();
      },
    });
    await host.run("go", { member: "trunk" });
    const { sessionId } = await host.runtime.fork("trunk", { ...spec, initialMessage: "do the other thing" });
    const prepared = await host.runtime.prepare(host.facts, { sessionId });
    expect(await prepared.run()).toMatchObject({ outcome: "cancelled" });
    expect((await host.transcript(sessionId)).at(-1)).toEqual({
      role: "user",
      content: "do the other thing",
    });
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed", text: "two" });
  });

  test("keeps to the tools that it was given, and so do the agents that it delegates to", async () => {
    const probe = probeTool("probe");
    const touch = (id: string) => calls({ name: "probe", input: {}, id });
    const host = await openTestHost({
      state,
      tools: [probe],
      agents: {
        main: [
          touch("1"),
          { text: "one" },
          touch("2"),
          calls({ name: "spawn", input: { input: "go" } }),
          { text: "two" },
        ],
        child: [touch("3"), { text: "three" }],
      },
    });
    await host.run("go", { member: "trunk" });
    expect(probe.ran).toHaveLength(1);
    const { sessionId } = await host.runtime.fork("trunk", {
      ...spec,
      toolAccessPolicy: { deny: ["probe"] },
    });
    const report = await host.run("go", { sessionId });
    expect(report.outcome).toBe("completed");
    expect(probe.ran).toHaveLength(1);
    const forkRequest = host.models.requests.find((request) => request.sessionId === sessionId);
    expect(forkRequest!.tools.map(({ name }) => name)).not.toContain("probe");
    expect((resultsOf(await host.transcript(sessionId))["2"] as { value: string }).value).toContain(
      "there is no tool 'probe'",
    );
    expect(host.models.of("child")[0]!.tools.map(({ name }) => name)).not.toContain("probe");
  });
});

// S22
test("a fork is denied for good what its source was, and has to ask for what its source was allowed", async () => {
  const rules = memoryRuleStore();
  const [denied, allowed] = [probeTool("denied"), probeTool("allowed")];
  const both = calls({ name: "denied", input: {} }, { name: "allowed", input: {} });
  const approver = new RecordingApprover(
    { decision: "deny_for_session", reason: "never" },
    { decision: "allow_for_session" },
    { decision: "allow" },
  );
  const host = await openTestHost({
    agents: { main: [both, { text: "one" }, both, { text: "two" }] },
    tools: [denied, allowed],
    rules,
    approver,
  });
  const { sessionId: source } = (await host.run("go", { member: "trunk" })).transcript!;
  const { sessionId } = await host.runtime.fork("trunk", spec);
  const within = (id: string) => rules.list({ scope: "session", within: id }).map(({ effect }) => effect);
  expect(within(source).toSorted()).toEqual(["allow", "deny"]);
  expect(within(sessionId)).toEqual(["deny"]);
});

describe("a fork whose provisioning fails", () => {
  test("is told as committed and failed, and recovered by its id with one copy of each denial", async () => {
    let failing = 2;
    const rules = memoryRuleStore();
    const host = await openTestHost({
      agents: { main: [{ text: "one" }, { text: "two" }] },
      rules,
      provisioner: {
        provision: async () => {
          failing -= 1;
          if (failing >= 0) throw new Error("the machine is away");
          return {};
        },
      },
    });
    const { sessionId: source } = (await host.run("go", { member: "trunk" })).transcript!;
    rules.add({ toolName: "write", effect: "deny", scope: "session", within: source });
    const error = await host.runtime.fork("trunk", spec).catch((thrown: unknown) => thrown);
    expect(committedForkIsRecoverable(error)).toBe(true);
    const { operationId, forkSessionId } = (
      error as { details: { operationId: string; forkSessionId: string } }
    ).details;
    await expect(host.runtime.recover(operationId)).rejects.toThrow("the machine is away");
    await host.runtime.recover(operationId);
    const types = host.events.types(source).filter((type) => type.startsWith("fork"));
    expect(types).toEqual([
      "fork_committed",
      "fork_failed",
      "fork_failed",
      "fork_provisioned",
      "fork_recovered",
    ]);
    expect(rules.list({ scope: "session", within: forkSessionId })).toHaveLength(1);
    expect(await host.run("more", { sessionId: forkSessionId })).toMatchObject({ outcome: "completed" });
  });

  test("cannot be run before it is seated", async () => {
    const host = await openTestHost({
      agents: { main: [{ text: "one" }, { text: "two" }] },
      provisioner: { provision: () => Promise.reject(new Error("away")) },
    });
    await host.run("go", { member: "trunk" });
    const error = await host.runtime.fork("trunk", spec).catch((thrown: unknown) => thrown);
    const { forkSessionId } = (error as { details: { forkSessionId: string } }).details;
    await expect(host.run("more", { sessionId: forkSessionId })).rejects.toMatchObject({
      code: "session_unavailable",
    });
  });
});

test("a provisioner that is a class keeps its say about roles", async () => {
  class Machines {
    readonly roles = new Set(["main"]);
    async provision(): Promise<Record<string, never>> {
      return {};
    }
    hasRole(role: string): boolean {
      return this.roles.has(role);
    }
  }
  const host = await openTestHost({ agents: { main: [{ text: "one" }] }, provisioner: new Machines() });
  await host.run("go", { member: "trunk" });
  await expect(host.runtime.fork("trunk", { ...spec, role: "pilot" })).rejects.toMatchObject({
    kind: "invalid_request",
  });
  await expect(host.runtime.fork("trunk", spec)).resolves.toMatchObject({ memberAlias: "branch" });
});
