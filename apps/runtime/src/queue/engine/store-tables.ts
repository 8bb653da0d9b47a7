import { setTimeout as pause } from "node:timers/promises";
import { newId } from "@basis/core";
import type { StoreExtension } from "@mobkit/session-postgres";
import type { HostState } from "../../store/open-state.ts";

/** What a queue needs in the schema of its store, beside the engine's own. */
export interface StoreTables {
  /** Runs work while no other process runs its own. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  readonly images: HeldImages;
}

/** Keeps the blobs of turns from being collected. A store finds what refers to them in tables of its own schema alone. */
export interface HeldImages {
  hold(turn: string, digests: readonly string[]): Promise<void>;
  release(turn: string): Promise<void>;
}

/** Only ever added to. */
const migrations = [
  "CREATE TABLE queue_opening (one integer PRIMARY KEY, holder text NOT NULL, until bigint NOT NULL)",
  "CREATE TABLE queue_image (turn text, digest text, PRIMARY KEY (turn, digest))",
];

/** Opens the tables, and makes them where they are missing. */
export async function storeTables({
  extend,
}: NonNullable<HostState["database"]>["store"]): Promise<StoreTables> {
  const tables = await extend({ name: "queue", migrations });
  return { alone: lockOf(tables), images: imagesOf(tables) };
}

function imagesOf(tables: StoreExtension): HeldImages {
  const hold = "INSERT INTO queue_image SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING";
  return {
    hold: async (turn, digests) => void (await tables.statement(hold, [turn, [...new Set(digests)]])),
    release: async (turn) => void (await tables.statement("DELETE FROM queue_image WHERE turn = $1", [turn])),
  };
}

const BETWEEN_TRIES_MS = 100;
/** How long a process that died keeps others from making the engine's tables. */
const HELD_MS = 60_000;

const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const take = `INSERT INTO queue_opening VALUES (1, $1, ${now} + ${HELD_MS}) ON CONFLICT (one)
  DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE queue_opening.until < ${now}`;

/**
 * A lock of the database that no transaction holds: the engine makes indexes beside running work, which wait for every
 * transaction there is.
 */
function lockOf(tables: StoreExtension): StoreTables["alone"] {
  const holder = newId();
  const run = (sql: string) => tables.transaction((tx) => tx.sql.run(sql, [holder]));
  return async (work) => {
    while ((await run(take)) === 0) await pause(BETWEEN_TRIES_MS);
    try {
      return await work();
    } finally {
      await run("UPDATE queue_opening SET until = 0 WHERE holder = $1");
    }
  };
}
