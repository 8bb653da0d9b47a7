import { isBasisError } from "@basis/core";
import { SessionError } from "@mobkit/session";
import { codeOf, sqlFailure, type SqlFailure } from "./sql-failure.ts";

/** Why a store can't be reached, or didn't do what it was asked. */
export type UnavailableReason =
  | "access_denied"
  | "closed"
  | "commit_unknown"
  | "connection_lost"
  | "failed"
  | "full"
  | "in_transaction"
  | "read_only"
  | "schema_lost"
  | "unreachable";

const sentences: Readonly<Record<UnavailableReason, string>> = {
  access_denied: "the server refuses this user",
  closed: "the store is closed",
  commit_unknown:
    "the connection was lost at the commit, and the server can't be asked whether it happened; read the state again, or repeat with the same write id",
  connection_lost: "the connection was lost; nothing was written",
  failed: "the statement failed",
  full: "the server has no space left",
  in_transaction: "a transaction's callback may not call the store",
  read_only: "the server is read-only (a standby?)",
  schema_lost: "the store's tables are gone",
  unreachable: "no connection could be made",
};

/** The store can't be reached, or did not do what it was asked. */
export function storeUnavailable(
  server: string,
  failure: { readonly reason: UnavailableReason; readonly cause?: unknown },
): SessionError<"store_unavailable"> {
  const { reason, cause } = failure;
  return new SessionError("store_unavailable", `${server}: ${sentences[reason]}`, {
    details: { reason },
    cause,
  });
}

/** Something was waited for too long. */
export function storeBusy(
  server: string,
  wait: { readonly since: number; readonly cause: unknown },
): SessionError<"busy"> {
  const waitedMs = Math.round(performance.now() - wait.since);
  const message = `${server} did not get to it within ${waitedMs} ms: ${(wait.cause as Error).message}`;
  return new SessionError("busy", message, { details: { waitedMs }, cause: wait.cause });
}

const reasons: Partial<Record<SqlFailure, UnavailableReason>> = {
  lost: "connection_lost",
  unreachable: "unreachable",
  refused: "access_denied",
  full: "full",
  read_only: "read_only",
  schema_lost: "schema_lost",
};

/** A failure of the store's own statements as a session error; what isn't one is answered as it came. */
export function sessionFailure(
  server: string,
  failed: { readonly error: unknown; readonly since: number },
): unknown {
  const { error, since } = failed;
  if (isBasisError(error)) return error;
  const failure = sqlFailure(error);
  if (failure === "waited" || failure === "conflict" || failure === "duplicate") {
    return storeBusy(server, { since, cause: error });
  }
  if (failure === "corrupt") {
    return new SessionError("store_corrupt", `${server} is damaged: ${String(error)}`, {
      details: { reason: codeOf(error) },
      cause: error,
    });
  }
  const reason = reasons[failure] ?? (isServerError(error) ? "failed" : undefined);
  return reason === undefined ? error : storeUnavailable(server, { reason, cause: error });
}

/** True for an error that the server sent: it names its severity. */
export function isServerError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && typeof (error as { severity?: unknown }).severity === "string";
}
