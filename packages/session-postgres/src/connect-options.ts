import { checkCount } from "@mobkit/session/rules";
import type { DriverConfig } from "./driver.ts";
import { PostgresStoreError } from "./store-error.ts";

/** Limits of a store's connections and waits. */
export interface ConnectionLimits {
  /** Connections at most, followers apart. Default 10. */
  readonly maxConnections?: number | undefined;
  /** How long a call waits for a free connection, and a statement for a lock, before it is `busy`. Default 5,000 ms. */
  readonly busyTimeoutMs?: number | undefined;
  /** How long one statement may take before the server ends it and the call is `busy`. Default 30,000 ms. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * How long the server waits for the next statement of an open transaction before it ends the connection: how long a process
   * that froze, or whose network broke without a word, keeps others from what it locked. Default 30,000 ms.
   */
  readonly idleInTransactionMs?: number | undefined;
  /** How long a call goes on trying when the connection is lost or can't be made, a lost commit included. Default 10,000 ms. */
  readonly reconnectMs?: number | undefined;
}

/** A way to a server, checked. */
export interface ConnectOptions {
  /** Host, port and database, without user and password: what errors name. */
  readonly server: string;
  readonly schema: string;
  readonly client: DriverConfig;
  readonly maxConnections: number;
  readonly busyTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly idleInTransactionMs: number;
  readonly reconnectMs: number;
}

/** What the driver waits at most beyond the server's own limit before it gives the connection up: a third of that, or this. */
const longestGraceMs = 5000;

/** @throws PostgresStoreError `invalid_option`. @throws SessionError `invalid_request` for a limit. */
export function connectOptions(
  url: string,
  options: ConnectionLimits & { readonly schema?: string | undefined },
): ConnectOptions {
  const busyTimeoutMs = checkCount("busyTimeoutMs", options.busyTimeoutMs ?? 5000, 1);
  const statementTimeoutMs = checkCount("statementTimeoutMs", options.statementTimeoutMs ?? 30_000, 1);
  return {
    server: serverOf(url),
    schema: checkSchema(options.schema ?? "agent_sessions"),
    client: {
      connectionString: strictly(url),
      application_name: "mobkit-session-postgres",
      keepAlive: true,
      connectionTimeoutMillis: busyTimeoutMs,
      query_timeout: statementTimeoutMs + Math.min(longestGraceMs, Math.ceil(statementTimeoutMs / 3)),
      pipeline: true,
    },
    maxConnections: checkCount("maxConnections", options.maxConnections ?? 10, 1),
    busyTimeoutMs,
    statementTimeoutMs,
    idleInTransactionMs: checkCount("idleInTransactionMs", options.idleInTransactionMs ?? 30_000, 1),
    reconnectMs: checkCount("reconnectMs", options.reconnectMs ?? 10_000),
  };
}

/** A schema's name as SQL spells it. `checkSchema` lets nothing through that would need more. */
export function quoted(schema: string): string {
  return `"${schema}"`;
}

function checkSchema(schema: string): string {
  if (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,39}$/.test(schema) && !schema.startsWith("pg_")) {
    return schema;
  }
  throw invalidOption(
    "schema",
    "is up to 40 lower-case letters, digits and underscores, and not one of pg_…",
  );
}

/** Modes that the driver takes for `verify-full`, and warns that it may not for ever. */
const looseModes: ReadonlySet<string> = new Set(["prefer", "require", "verify-ca"]);

/** The address with what its `sslmode` means today, so that no later driver means less by it. */
function strictly(url: string): string {
  const address = new URL(url);
  const { searchParams } = address;
  if (!looseModes.has(searchParams.get("sslmode") ?? "") || searchParams.has("uselibpqcompat")) return url;
  searchParams.set("sslmode", "verify-full");
  return address.href;
}

function serverOf(url: string): string {
  try {
    const { protocol, hostname, port, pathname, searchParams } = new URL(url);
    if (protocol === "postgres:" || protocol === "postgresql:") {
      const host = hostname || searchParams.get("host") || "localhost";
      return `${host}:${port || "5432"}${pathname}`;
    }
  } catch {
    // The refusal below doesn't repeat the text: it may hold a password.
  }
  throw invalidOption("url", "is no postgres://user:password@host:port/database");
}

function invalidOption(field: string, reason: string): PostgresStoreError<"invalid_option"> {
  return new PostgresStoreError("invalid_option", `${field} ${reason}`, { details: { field, reason } });
}
