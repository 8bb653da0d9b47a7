import type { Clock } from "@basis/core";
import { isSessionError } from "@mobkit/session";
import type { PostgresStoreErrorCode } from "@mobkit/session-postgres";
import { parseDatabase, type DatabasePlace } from "../config/store-place.ts";
import { StartError } from "../config/start-error.ts";
import { secrets } from "../secrets/secrets.ts";
import type { HostState } from "./open-state.ts";
import type { PostgresState, PostgresStateOptions } from "./postgres/postgres-state.ts";

/** How a database's state is opened. */
export type OpenDatabaseOptions = Pick<PostgresStateOptions, "signal" | "limits"> & {
  readonly clock?: Clock | undefined;
};

/**
 * How long a process may wait for its database whose leases last so long: what is answered later than that is another's work
 * by then.
 */
export function limitsFor(leaseMs: number): NonNullable<OpenDatabaseOptions["limits"]> {
  const within = (least: number, most: number, ms: number): number =>
    Math.max(least, Math.min(most, Math.round(ms)));
  return {
    busyTimeoutMs: within(1_000, 5_000, leaseMs / 3),
    statementTimeoutMs: within(5_000, 30_000, leaseMs),
    reconnectMs: within(1_000, 10_000, leaseMs),
  };
}

/**
 * Opens the state in a database. Driver and store are loaded here, and nowhere without one.
 *
 * @throws StartError `store` with what to do about it; nothing in it shows a password.
 */
export async function openDatabase(
  place: DatabasePlace,
  options: OpenDatabaseOptions = {},
): Promise<PostgresState> {
  const { openPostgresState } = await loadDatabases();
  try {
    return await openPostgresState(place.url, { ...options, schema: place.schema });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw databaseRefusal(place, error);
  }
}

async function loadDatabases(): Promise<typeof import("./postgres/postgres-state.ts")> {
  try {
    return await import("./postgres/postgres-state.ts");
  } catch (error) {
    throw new StartError(
      "store",
      [
        `the store is a database, and what speaks with it cannot be loaded: ${(error as Error).message}`,
        "install it beside the host: npm install @mobkit/session-postgres pg",
      ],
      error,
    );
  }
}

/**
 * Opens the state in a database by its address, `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME` (the schema
 * `basis` unless it is named), for any number of machines. The password is a secret of the process from here on.
 *
 * @throws StartError `store` with what to do about it.
 */
export async function openDatabaseState(
  address: string,
  options: OpenDatabaseOptions = {},
): Promise<HostState> {
  return openDatabase(parseDatabase(address, "the address"), options);
}

/** Why a database cannot be used, and what to do: two lines without a password. */
export function databaseRefusal({ name, schema }: DatabasePlace, error: unknown): StartError {
  const message = secrets
    .redact((error as Error).message)
    .replace(/^(?:schema \S+ of )?[^ ]+:\d+\/\S*: /, "");
  return new StartError("store", [`the store at ${name}: ${message}`, remedyOf(error, schema)], error);
}

type Remedies = Readonly<Record<PostgresStoreErrorCode, (schema: string) => string>>;

const remedies: Remedies = {
  invalid_option: () => "correct BASIS_STORE; a schema is lower-case letters, digits and underscores",
  driver_missing: () => "install it beside the host: npm install pg@^8.23",
  server_unreachable: () =>
    "see that the server runs, and check host, port and sslmode in BASIS_STORE (without TLS none, by a certificate that nobody signed no-verify); then try again",
  access_denied: () => "check user, password and sslmode in BASIS_STORE, and the server's pg_hba.conf",
  database_missing: () => "create it: CREATE DATABASE … ENCODING 'UTF8'",
  rights_missing: (schema) =>
    `have an owner run: GRANT USAGE, CREATE ON SCHEMA ${schema} TO the user; where there is no such schema, CREATE SCHEMA ${schema} AUTHORIZATION the user`,
  server_unsupported: () => "use PostgreSQL 14 or later with a database in UTF-8",
  not_a_store: () => "name another schema with ?schema=NAME; nothing was changed",
  migration_failed: () => "see the server's log; nothing was changed",
  invalid_extension: () => "use the release that wrote it, or a later one; nothing was changed",
  invalid_sql: () => "report this: it is a fault of the host's",
};

/** What to do when the server has no connection left. */
export const roomRemedy =
  "its connections are all in use: raise its max_connections, or end what holds them; a worker opens 4 to 17";

/** True when the server had no connection left. Source: PostgreSQL's error codes, 53300. */
export function hasNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { readonly code?: unknown }).code === "53300" || hasNoRoom(error.cause);
}

function remedyOf(error: unknown, schema: string): string {
  if (hasNoRoom(error)) return roomRemedy;
  // The class is loaded with the store alone.
  if (error instanceof Error && "remedy" in error && typeof error.remedy === "string") return error.remedy;
  if (isSessionError(error, "store_newer"))
    return "use that later version on every machine; nothing was changed";
  if (isSessionError(error, "shape_mismatch"))
    return "it holds sessions of another program: name another schema with ?schema=NAME; nothing was changed";
  if (isSessionError(error, "busy")) return "its server has no room or a lock is held; try again";
  const { code } = error as { readonly code?: unknown };
  const known =
    typeof code === "string" && Object.hasOwn(remedies, code) ? remedies[code as keyof Remedies] : undefined;
  return known?.(schema) ?? "see that the server runs and has room; then try again";
}
