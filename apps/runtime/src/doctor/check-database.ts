import type { PostgresStoreReport } from "@mobkit/session-postgres";
import type { DatabasePlace } from "../config/store-place.ts";
import { databaseRefusal } from "../store/open-database.ts";
import { hostTables, NAMESPACE } from "../store/postgres/host-tables.ts";
import type { Finding, FindingLevel } from "./finding.ts";

/** A round trip that takes longer is felt in every turn. */
const SLOW_MS = 20;

/** Connections that are left to the server's own user. */
const RESERVED = 3;

/** The database that sessions are kept in, looked at from outside: nothing in it is made or changed. */
export async function checkDatabase(place: DatabasePlace, signal: AbortSignal): Promise<readonly Finding[]> {
  let report: PostgresStoreReport;
  try {
    const { inspectPostgresStore } = await import("@mobkit/session-postgres");
    report = await inspectPostgresStore(place.url, { schema: place.schema, signal });
  } catch (error) {
    signal.throwIfAborted();
    const [text, fix] = databaseRefusal(place, error).details.problems;
    return [finding("server", "problem", { text: text!, fix })];
  }
  return [
    checkServer(report),
    checkRights(report),
    checkSchema(report),
    checkLatency(report),
    checkConnections(report),
    ...checkContents(report),
  ];
}

interface Said {
  readonly text: string;
  readonly fix?: string | undefined;
  readonly facts?: object;
}

function finding(name: string, level: FindingLevel, { text, fix, facts }: Said): Finding {
  return {
    section: "store",
    name,
    level,
    text,
    ...(level !== "ok" && fix !== undefined && { fix }),
    ...(facts && { facts }),
  };
}

function checkServer(report: PostgresStoreReport): Finding {
  const { server, serverVersion, encoding, isSupported, isReadOnly, isDurable } = report;
  const facts = { server, version: serverVersion, encoding, read_only: isReadOnly, fsync: isDurable };
  const text = `PostgreSQL ${serverVersion} at ${server}, ${encoding}`;
  if (!isSupported)
    return finding("server", "problem", {
      text,
      facts,
      fix: "use PostgreSQL 14 or later with a database in UTF-8",
    });
  if (isReadOnly)
    return finding("server", "problem", {
      text: `${text}: read-only`,
      facts,
      fix: "name the server that leads, not a standby",
    });
  if (!isDurable)
    return finding("server", "warning", {
      text: `${text}: fsync is off, so a crash of its machine loses what was acknowledged`,
      facts,
      fix: "switch fsync on, unless what is kept there may go",
    });
  return finding("server", "ok", { text, facts });
}

function checkRights({ schema, mayCreate, forbiddenTables, schemaVersion }: PostgresStoreReport): Finding {
  const facts = { create: mayCreate, forbidden_tables: forbiddenTables };
  if (forbiddenTables.length > 0)
    return finding("rights", "problem", {
      text: `the user may not read and write ${forbiddenTables.join(", ")}`,
      facts,
      fix: `have their owner run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO the user`,
    });
  if (!mayCreate && schemaVersion === 0)
    return finding("rights", "problem", {
      text: `the user may not make the schema ${schema}`,
      facts,
      fix: `have an owner run: CREATE SCHEMA ${schema} AUTHORIZATION the user`,
    });
  return finding("rights", "ok", { text: "the user may read and write the store", facts });
}

function checkSchema(report: PostgresStoreReport): Finding {
  const { schema, schemaVersion, supportedVersion, shape = null, extensions } = report;
  const own = Object.hasOwn(extensions, NAMESPACE) ? extensions[NAMESPACE]! : 0;
  const facts = {
    schema,
    version: schemaVersion ?? null,
    supported: supportedVersion,
    shape,
    host_version: own,
  };
  if (schemaVersion === undefined)
    return finding("schema", "problem", {
      text: `${schema} holds tables of another program`,
      facts,
      fix: "name another schema with ?schema=NAME",
    });
  if (schemaVersion === 0)
    return finding("schema", "ok", { text: `${schema} has no store yet; the first run makes it`, facts });
  const text = `${schema}: version ${schemaVersion} of ${supportedVersion}, the host's tables ${own} of ${hostTables.length}, messages of shape ${shape ?? "unknown"}`;
  if (schemaVersion > supportedVersion || own > hostTables.length)
    return finding("schema", "problem", {
      text,
      facts,
      fix: "use the later release that wrote it, on every machine",
    });
  const isOld = schemaVersion < supportedVersion || own < hostTables.length;
  return finding("schema", "ok", {
    text: isOld ? `${text}; the next run brings it up to date` : text,
    facts,
  });
}

function checkLatency({ roundTripMs }: PostgresStoreReport): Finding {
  const ms = Math.round(roundTripMs * 100) / 100;
  return finding("round trip", roundTripMs < SLOW_MS ? "ok" : "warning", {
    text: `${ms} ms; a turn takes about six`,
    facts: { ms },
    fix: "run the host nearer to its database",
  });
}

function checkConnections({ connections: { most, open, ofUser } }: PostgresStoreReport): Finding {
  const left = most - RESERVED - open;
  return finding("connections", left < 12 ? "warning" : "ok", {
    text: `${open} of ${most} are open; a process of this host opens 11 at most`,
    facts: { open, most, of_user: ofUser },
    fix: "raise max_connections, or end what holds them",
  });
}

function checkContents({ contents }: PostgresStoreReport): readonly Finding[] {
  if (contents === undefined) return [];
  const { sessions, messages, bytes } = contents;
  const living = Object.entries(sessions).reduce(
    (sum, [state, n]) => sum + (state === "tombstone" ? 0 : n),
    0,
  );
  const deleted = sessions["tombstone"] ?? 0;
  const text = `${living} sessions (${deleted} deleted), about ${messages} messages, ${bytes} bytes`;
  return [finding("contents", "ok", { text, facts: { sessions, messages, bytes } })];
}
