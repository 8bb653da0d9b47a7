import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@basis/core";
import { memoryStore, type ModelMessage, type SessionStore } from "@mobkit/session";
import { openPostgresStore } from "@mobkit/session-postgres";
import { openSqliteStore } from "@mobkit/session-sqlite";
import { inject, onTestFinished } from "vitest";
import { watchedStore } from "./watched-store.ts";

export type Store = SessionStore<ModelMessage, never>;

/** A kind of store under test; every `open` gives an empty one. */
export interface StoreKind {
  readonly name: string;
  /** How many cases of a property its speed allows. */
  readonly runs: number;
  open(options?: { readonly clock?: Clock }): Promise<Store>;
}

async function openFile(clock: Clock | undefined): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), "forks-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const store = await openSqliteStore(join(directory, "store.db"), { clock });
  onTestFinished(() => store.close());
  return store;
}

/** What the project "postgres" provides: a database, or why it has none. */
type TestDatabase = { readonly url: string; readonly schemaPrefix: string } | { readonly problem: string };

async function openSchema(database: TestDatabase, clock: Clock | undefined): Promise<Store> {
  if ("problem" in database) throw new Error(database.problem);
  const schema = database.schemaPrefix + randomBytes(8).toString("hex");
  const store = await openPostgresStore(database.url, { schema, clock, maxConnections: 4 });
  onTestFinished(() => store.close());
  return watchedStore(store);
}

const postgres = inject("postgres" as never) as TestDatabase | undefined;

/** Every kind of store that the suites run on: F115, the same suites in the project "postgres" and in fork's own. */
export const stores: readonly StoreKind[] =
  postgres === undefined
    ? [
        { name: "memory", runs: 100, open: async ({ clock } = {}) => memoryStore({ clock }) },
        { name: "sqlite", runs: 15, open: ({ clock } = {}) => openFile(clock) },
      ]
    : [{ name: "postgres", runs: 5, open: ({ clock } = {}) => openSchema(postgres, clock) }];
