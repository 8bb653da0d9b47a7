import type { DBOSClient, GetWorkflowsInput } from "@dbos-inc/dbos-sdk";
import { expect, it } from "vitest";
import { TurnSweep } from "../../src/queue/engine/turn-sweep.ts";
import { ProbeWorker } from "./support/probe-worker.ts";

it("finds the turn of a dead worker behind thousands that run", async () => {
  const rows = Array.from({ length: 2_500 }, (_, at) => ({
    workflowID: `turn-${at}`,
    status: "PENDING",
    queuePartitionKey: `session-${at}`,
    queueName: "turns.default",
    dequeuedAt: 1,
  }));
  const abandoned = rows.at(-1)!;
  const worker = new ProbeWorker();
  worker.holdOf = async (session) => (session === abandoned.queuePartitionKey ? "expired" : "held");
  let sweep: TurnSweep | undefined;
  const putBack = await new Promise<readonly unknown[]>((resolve) => {
    const client = {
      listWorkflows: async ({ status, workflowIDs, offset = 0, limit = 0 }: GetWorkflowsInput) => {
        if (workflowIDs !== undefined)
          return rows.filter(({ workflowID }) => workflowIDs.includes(workflowID));
        return status === "PENDING" ? rows.slice(offset, offset + limit) : [];
      },
      resumeWorkflow: async (...call: readonly unknown[]) => resolve(call),
    };
    const times = { sweepMs: 60_000, graceMs: 60_000, patienceMs: 60_000 };
    const parts = { client: client as unknown as DBOSClient, worker, answered: () => undefined, ...times };
    sweep = new TurnSweep(parts);
    sweep.start();
  });
  await sweep!.stop();
  expect(putBack).toEqual([abandoned.workflowID, { queueName: abandoned.queueName }]);
});
