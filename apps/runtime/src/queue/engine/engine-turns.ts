import type { DBOSClient, GetWorkflowsInput, WorkflowStatus } from "@dbos-inc/dbos-sdk";
import type { NewTurn, QueuedTurn, TurnState } from "../queued-turn.ts";
import type { TurnEnding } from "../turn-queue.ts";

/** What the engine calls the work on a turn. */
export const WORKFLOW = "turn";
/** Under which name this host's turns stand in the engine's tables. */
export const APPLICATION = "basis";
const QUEUE_PREFIX = "turns.";

/** A realm's turns have a queue of their own. */
export function queueOf(realm: string): string {
  return `${QUEUE_PREFIX}${realm}`;
}

/** The realm of a queue; undefined for one that is not of turns. */
export function realmOf(queueName: string): string | undefined {
  return queueName.startsWith(QUEUE_PREFIX) ? queueName.slice(QUEUE_PREFIX.length) : undefined;
}

/** The engine hands a turn only to executors of the version that it was queued for: that is what it needs (S23). */
export function versionOf(turn: Pick<NewTurn, "fit">): string {
  return turn.fit.digest.slice(0, 32);
}

/** The engine's words for the states of a turn. */
export const STATUSES: Readonly<Record<TurnState, readonly WorkflowStatusName[]>> = {
  waiting: ["ENQUEUED", "DELAYED"],
  running: ["PENDING"],
  ended: ["SUCCESS"],
  dead: ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
  cancelled: ["CANCELLED"],
};

type WorkflowStatusName =
  | "PENDING"
  | "SUCCESS"
  | "ERROR"
  | "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
  | "CANCELLED"
  | "ENQUEUED"
  | "DELAYED";

/** A turn as the engine's row tells it. */
export function turnOf(row: WorkflowStatus): QueuedTurn {
  const [turn] = row.input as [NewTurn];
  const known = { ...turn, queuedAt: row.createdAt };
  const by = row.dequeuedAt === undefined || row.executorId === undefined ? {} : { worker: row.executorId };
  switch (row.status as WorkflowStatusName) {
    case "ENQUEUED":
    case "DELAYED":
      return { ...known, state: "waiting" };
    case "PENDING":
      return { ...known, ...by, state: "running" };
    case "SUCCESS": {
      const { outcome, reason } = row.output as TurnEnding;
      const state = outcome === "failed" ? "dead" : "ended";
      return { ...known, ...by, state, outcome, ...(reason !== undefined && { reason }) };
    }
    case "CANCELLED":
      return { ...known, ...by, state: "cancelled" };
    case "ERROR":
    case "MAX_RECOVERY_ATTEMPTS_EXCEEDED":
      return { ...known, ...by, state: "dead", outcome: "failed", reason: reasonOf(row.error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message !== ""
    ? error.message
    : "it was begun too often without an end";
}

/** What is queued with a turn, and what the engine takes from a row that it puts back. */
export function markOf({ id }: Pick<NewTurn, "id">): Pick<WorkflowStatus, "deduplicationID"> {
  return { deduplicationID: id };
}

/** False for a row that no worker had before the one that has it now. */
export function wasPutBack({ deduplicationID }: WorkflowStatus): boolean {
  return deduplicationID === undefined;
}

/** The rows of turns, by one question. A lost connection makes the engine's client ask again, until it is answered. */
export function listTurns(client: DBOSClient, filter: GetWorkflowsInput): Promise<WorkflowStatus[]> {
  return client.listWorkflows({ workflowName: WORKFLOW, applicationName: APPLICATION, ...filter });
}

/** How a turn stands, without what was asked and answered; undefined for one that the engine doesn't know. */
export async function findTurn(client: DBOSClient, id: string): Promise<WorkflowStatus | undefined> {
  const [row] = await listTurns(client, { workflowIDs: [id], loadInput: false, loadOutput: false });
  return row;
}
