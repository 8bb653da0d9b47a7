import { committedForkIsRecoverable, createForks } from "@mobkit/fork";
import { describe, expect, test } from "vitest";
import { openTestHost, stateKinds } from "../harness/test-host.ts";

const spec = { identity: "branch", role: "main", launchMode: "fresh" } as const;
const agents = { main: [{ text: "one" }] };

describe.each(stateKinds)("the log of a forked session, with the state in %s", (state) => {
  test("tells a fork once, however often its request comes with the same key", async () => {
    const host = await openTestHost({ state, agents });
    const report = await host.run("go", { member: "trunk" });
    const options = { idempotencyKey: "once" };
    const first = await host.runtime.fork("trunk", spec, options);
    const second = await host.runtime.fork("trunk", spec, options);
    expect(second).toMatchObject({ replayed: true, sessionId: first.sessionId });
    const { sessionId } = report.transcript!;
    expect(host.events.data("fork_committed", sessionId)).toHaveLength(1);
    expect(host.events.data("fork_provisioned", sessionId)).toHaveLength(1);
  });

  test("tells of the commit when it is recovered, after a process that died before it could", async () => {
    const host = await openTestHost({ state, agents });
    const report = await host.run("go", { member: "trunk" });
    const provision = (): Promise<never> => Promise.reject(new Error("gone"));
    const silent = createForks({ store: host.state.store, provisioner: { provision } });
    const error: unknown = await silent.forkMember("trunk", spec).catch((thrown: unknown) => thrown);
    if (!committedForkIsRecoverable(error)) throw error;
    const { sessionId } = report.transcript!;
    expect(host.events.data("fork_committed", sessionId)).toEqual([]);
    await host.runtime.recover(error.details.operationId);
    const fork = { operation_id: error.details.operationId, source_session: sessionId, member: "branch" };
    expect(host.events.data("fork_committed", sessionId)).toMatchObject([fork]);
    expect(host.events.data("fork_provisioned", sessionId)).toMatchObject([fork]);
    expect(host.events.data("fork_recovered", sessionId)).toMatchObject([fork]);
  });

  test("tells of a refused fork whichever spelling named its source", async () => {
    const host = await openTestHost({ state, agents });
    const report = await host.run("go", { member: "work:er" });
    await expect(host.runtime.fork("mk--work_cer", spec, { at: 99 })).rejects.toMatchObject({
      kind: "fork_boundary",
    });
    const { sessionId } = report.transcript!;
    expect(host.events.data("fork_failed", sessionId)).toMatchObject([
      { kind: "fork_boundary", committed: false },
    ]);
  });
});
