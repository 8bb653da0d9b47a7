import type { ModelMessage } from "@mobkit/session";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "../src/index.ts";

/** A private directory that is removed when the test has ended. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "session-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A path for a store that doesn't exist yet. */
export function temporaryPath(): string {
  return join(temporaryDirectory(), "store.db");
}

/** An open store that is closed when the test has ended. */
export async function temporaryStore(
  options: SqliteStoreOptions<ModelMessage> & { readonly shape?: undefined; readonly path?: string } = {},
): Promise<SqliteStore<ModelMessage>> {
  const { path = temporaryPath(), ...rest } = options;
  const store = await openSqliteStore(path, rest);
  onTestFinished(() => store.close());
  return store;
}

/** A session of a new member, with its lease. */
export async function leasedSession(store: SqliteStore<ModelMessage>, member = "planner") {
  const session = await store.createSession({ member, role: "general" });
  const lease = await store.acquireLease(session.id, { owner: "test", ttlMs: 60_000 });
  return { id: session.id, lease };
}

/** A user's message. */
export function says(text: string): ModelMessage {
  return { role: "user", content: text };
}
