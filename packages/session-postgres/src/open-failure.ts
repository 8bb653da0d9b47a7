import { isBasisError } from "@basis/core";
import type { ConnectOptions } from "./connect-options.ts";
import { codeOf, sqlFailure, type SqlFailure } from "./sql-failure.ts";
import { sessionFailure } from "./store-failure.ts";
import {
  PostgresStoreError,
  type PostgresStoreErrorCode,
  type PostgresStoreErrorDetails,
} from "./store-error.ts";

/** Why a store could not be opened, in the words of who has to mend it. */
export function openFailure(options: ConnectOptions, error: unknown, since: number): unknown {
  if (isBasisError(error)) return error;
  const { server, schema } = options;
  const reason = error instanceof Error && error.message !== "" ? error.message : codeOf(error);
  const code = codeOf(error);
  if (code === "3D000") {
    const database = server.slice(server.indexOf("/") + 1);
    return failed("database_missing", { server, database }, { reason, cause: error });
  }
  if (code === "42501") return failed("rights_missing", { server, schema, reason }, { reason, cause: error });
  if (isRefusal(error, reason)) {
    const user = userOf(options.client.connectionString);
    const why = noPassword.test(reason) ? "it asks for a password, and none was given" : reason;
    return failed(
      "access_denied",
      { server, user, reason: why },
      { reason: `it refuses ${user}: ${why}`, cause: error },
    );
  }
  if (unreachable.has(sqlFailure(error))) {
    return failed("server_unreachable", { server, reason }, { reason, cause: error });
  }
  return sessionFailure(server, { error, since });
}

const unreachable: ReadonlySet<SqlFailure> = new Set(["unreachable", "lost", "waited"]);

function failed<Code extends PostgresStoreErrorCode>(
  code: Code,
  details: PostgresStoreErrorDetails[Code] & { readonly server: string },
  why: { readonly reason: string; readonly cause: unknown },
): PostgresStoreError<Code> {
  const { reason, cause } = why;
  return new PostgresStoreError(code, `${details.server}: ${reason}`, { details, cause });
}

/** The driver says so itself when the server asks for a password and the URL has none. */
const noPassword = /password must be a (?:non-empty )?string/i;

function isRefusal(error: unknown, reason: string): boolean {
  return sqlFailure(error) === "refused" || noPassword.test(reason);
}

function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username) || "the default user";
}
