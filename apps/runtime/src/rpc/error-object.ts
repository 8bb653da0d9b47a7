import { isBasisError, type JsonObject } from "@basis/core";
import { isForkError, type AnyForkError } from "@mobkit/fork";
import { isSessionError, type AnySessionError } from "@mobkit/session";
import { StartError, type StartStage } from "../config/start-error.ts";
import { QueueError, type QueueErrorCode } from "../queue/queue-error.ts";
import { retryOf, RpcError, rpcCode, type RpcErrorName, type RpcErrorObject } from "./rpc-error.ts";

/** What any failure says to a caller; undefined for one that nobody foresaw, whose text is the host's alone. */
export function errorObject(error: unknown): RpcErrorObject | undefined {
  if (error instanceof RpcError) return error.object;
  if (isForkError(error)) return forkObject(error);
  if (isSessionError(error)) return sessionObject(error);
  if (error instanceof StartError) {
    const name = stages[error.code] ?? "unavailable";
    return object(name, error.message, { kind: error.code });
  }
  if (error instanceof QueueError) return object(queueName(error.code), error.message, { kind: error.code });
  return isBasisError(error) ? object("unavailable", error.message, { kind: error.code }) : undefined;
}

function object(name: RpcErrorName, message: string, facts: JsonObject & { kind: string }): RpcErrorObject {
  return {
    code: rpcCode[name],
    message,
    data: { retry: retryOf(name), committed: false, ...facts },
  };
}

function queueName(code: QueueErrorCode): RpcErrorName {
  if (code === "queue_full") return "overloaded";
  return code === "invalid_turn" ? "invalid_params" : "unavailable";
}

const stages: Readonly<Partial<Record<StartStage, RpcErrorName>>> = {
  session: "not_found",
  trust: "forbidden",
};

/** `structured_data` is `structuredData()` unchanged; absent where that is undefined. */
function forkObject(error: AnyForkError): RpcErrorObject {
  const { kind, retry, committed, message } = error;
  const structured = error.structuredData();
  const isRequest = kind === "invalid_request" || kind === "source_authority";
  return object(forkName(error), message, {
    kind,
    retry,
    committed,
    ...(isRequest && { reason: error.details.reason }),
    ...(kind === "source_authority" && error.details.state !== undefined && { state: error.details.state }),
    ...(structured && { structured_data: structured }),
  });
}

const forkNames: Readonly<Record<AnyForkError["kind"], RpcErrorName>> = {
  invalid_request: "invalid_params",
  source_authority: "scope",
  member_already_exists: "conflict",
  member_not_found: "not_found",
  fork_source_unavailable: "unavailable",
  fork_boundary: "boundary",
  fork_conflict: "conflict",
  fork_member_provision_failed: "unseated",
  fork_operation_not_found: "not_found",
  fork_operation_closed: "closed",
  fork_in_progress: "busy",
  fork_cancelled: "cancelled",
  fork_deadline_exceeded: "cancelled",
  fork_unavailable: "unavailable",
  forks_shut_down: "unavailable",
};

function forkName(error: AnyForkError): RpcErrorName {
  if (error.kind === "fork_source_unavailable" && error.details.cause === "running") return "busy";
  if (error.kind === "fork_boundary" && error.details.reason === "split") return "split";
  if (error.kind === "fork_boundary" && error.details.reason === "revision_changed") return "fenced";
  if (error.kind === "fork_unavailable" && fences.has(error.details.code ?? "")) return "fenced";
  return forkNames[error.kind];
}

const fences: ReadonlySet<string> = new Set(["stale_claim", "stale_fence", "revision_conflict"]);

const sessionNames: ReadonlyMap<string, RpcErrorName> = new Map<string, RpcErrorName>([
  ...["unknown_session", "unknown_member", "unknown_operation"].map((code) => [code, "not_found"] as const),
  ...["lease_held", "claim_held", "busy"].map((code) => [code, "busy"] as const),
  ...["member_already_exists", "session_exists"].map((code) => [code, "conflict"] as const),
  ...[...fences].map((code) => [code, "fenced"] as const),
  ["invalid_request", "invalid_params"],
]);

function sessionObject({ code, message }: AnySessionError): RpcErrorObject {
  return object(sessionNames.get(code) ?? "unavailable", message, { kind: code });
}
