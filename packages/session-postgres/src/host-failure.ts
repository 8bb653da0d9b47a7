import { AmbiguousCommit } from "./commit-lookup.ts";
import type { Connection } from "./connection.ts";
import { sqlFailure } from "./sql-failure.ts";
import { isServerError } from "./store-failure.ts";

/** A host's SQL failed. `repeats` tells that the server, not the host, was the reason. */
export class HostFailure extends Error {
  readonly repeats: boolean;

  constructor(cause: unknown, repeats: boolean) {
    super("a callback failed", { cause });
    this.repeats = repeats;
  }
}

/** What a host's SQL failed with on a connection. */
export function hostFailure(connection: Connection, cause: unknown): HostFailure {
  const undone = isServerError(cause) && sqlFailure(cause) === "conflict";
  return new HostFailure(cause, connection.lost || undone);
}

/** The failure itself, without what the store wrapped it in. */
export function causeOf(error: unknown): unknown {
  return error instanceof AmbiguousCommit || error instanceof HostFailure ? error.cause : error;
}
