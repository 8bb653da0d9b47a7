import { SessionError } from "@mobkit/session";
import { driverFailure } from "./driver.ts";

/** Why a store can't be reached. */
export type UnavailableReason =
  | "closed"
  | "commit_unknown"
  | "full"
  | "in_transaction"
  | "io"
  | "log_full"
  | "read_only"
  | "replaced";

const sentences: Readonly<Record<UnavailableReason, string>> = {
  closed: "the store is closed",
  commit_unknown:
    "the commit failed and may still have become durable; read the state again, or repeat with the same write id",
  full: "no space left to write",
  in_transaction: "a transaction's callback may not call the store",
  io: "reading or writing the file failed",
  log_full: "the write-ahead log is too long, since some process keeps a read transaction open",
  read_only: "the file is open for reading only",
  replaced: "the file was replaced or removed while it was open",
};

/** The store can't be reached. */
export function storeUnavailable(
  path: string,
  failure: { readonly reason: UnavailableReason; readonly cause?: unknown },
): SessionError<"store_unavailable"> {
  const { reason, cause } = failure;
  return new SessionError("store_unavailable", `${path}: ${sentences[reason]}`, {
    details: { reason },
    cause,
  });
}

/** Another process kept the file locked for too long. */
export function storeBusy(
  path: string,
  wait: { readonly waitedMs: number; readonly cause: unknown },
): SessionError<"busy"> {
  const waitedMs = Math.round(wait.waitedMs);
  const message = `${path} stayed locked by another process for ${waitedMs} ms`;
  return new SessionError("busy", message, { details: { waitedMs }, cause: wait.cause });
}

/** SQLite has ended the transaction by itself, after a failure that a callback may have hidden. `cause` is that failure. */
export class LostTransaction extends Error {
  constructor(cause: unknown) {
    super("the transaction was rolled back by a failure inside it", { cause });
    this.name = "LostTransaction";
  }
}

/** A driver's failure as a session error; anything else is answered as it came. */
export function sessionFailure(path: string, error: unknown): unknown {
  if (error instanceof LostTransaction) return sessionFailure(path, error.cause);
  const reason = driverFailure(error);
  switch (reason) {
    case "corrupt":
    case "not_a_database":
      return new SessionError("store_corrupt", `${path} is damaged`, { details: { reason }, cause: error });
    case "full":
    case "io":
    case "read_only":
      return storeUnavailable(path, { reason, cause: error });
    case "cannot_open":
      return storeUnavailable(path, { reason: "io", cause: error });
    case "busy":
      return storeBusy(path, { waitedMs: 0, cause: error });
    default:
      return error;
  }
}
