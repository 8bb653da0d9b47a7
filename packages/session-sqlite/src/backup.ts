import { newId } from "@basis/core";
import { SessionError, type CallOptions } from "@mobkit/session";
import type * as FileSystem from "node:fs";
import type * as Path from "node:path";
import { readGeneration } from "./generation.ts";
import type { StoreContext } from "./store-context.ts";
import type { SqliteDriver } from "./driver.ts";
import { SqliteStoreError } from "./store-error.ts";
import { sessionFailure } from "./store-failure.ts";
import { resolveStorePath } from "./store-file.ts";

const fs = (): typeof FileSystem => process.getBuiltinModule("node:fs");
const path = (): typeof Path => process.getBuiltinModule("node:path");

/** A copy of a store at one moment. */
export interface StoreBackup {
  /** The copy's absolute path. */
  readonly path: string;
  readonly bytes: number;
  /** The redactions that the copy has seen: one of a lower generation than the store's still holds what was redacted. */
  readonly generation: number;
}

/**
 * Copies an open store by SQLite's own means over the store's one handle, into a file that is complete when its name
 * appears. Writes go on meanwhile, except where the driver has no backup and SQLite copies in one step.
 * @throws SqliteStoreError `backup_failed`. @throws SessionError `store_unavailable`, `busy`.
 */
export async function backUp<M>(
  context: StoreContext<M>,
  target: string,
  options: CallOptions,
): Promise<StoreBackup> {
  options.signal?.throwIfAborted();
  context.connection.refuseWhileLent();
  const to = resolveStorePath(target);
  const partial = `${to}.${newId(context.clock.now())}`;
  claimTarget(to, partial);
  try {
    await context.copies.copyTo(partial, { as: to, signal: options.signal });
    options.signal?.throwIfAborted();
    const generation = finishCopy(context.driver, { partial, to });
    publish(partial, to);
    return Object.freeze({ path: to, bytes: fs().statSync(to).size, generation });
  } catch (error) {
    removeQuietly(partial);
    if (isTold(error) || options.signal?.aborted) throw error;
    const told = sessionFailure(to, error);
    throw told === error ? failed(to, String(error).replaceAll(partial, to), error) : told;
  }
}

const isTold = (error: unknown): boolean =>
  error instanceof SqliteStoreError || error instanceof SessionError;

function claimTarget(to: string, partial: string): void {
  if (fs().statSync(to, { throwIfNoEntry: false })) throw taken(to);
  try {
    fs().closeSync(fs().openSync(partial, "wx", 0o600));
  } catch (cause) {
    throw failed(to, "its directory takes no file", cause);
  }
}

/** Where a copy is made, and the name that it gets when it is whole: the one that a caller is told. */
interface CopyPaths {
  readonly partial: string;
  readonly to: string;
}

/** Makes a copy a file by itself: nobody has it open, no log belongs to it, its pages are whole. */
function finishCopy(driver: SqliteDriver, { partial, to }: CopyPaths): number {
  const copy = driver.open(partial);
  try {
    copy.exec("PRAGMA journal_mode = DELETE");
    copy.exec("PRAGMA synchronous = FULL");
    copy.exec("DELETE FROM store_opener");
    const verdict = copy.prepare("PRAGMA quick_check(1)").get();
    if (verdict?.["quick_check"] !== "ok")
      throw failed(to, `the copy is damaged: ${String(verdict?.["quick_check"])}`);
    return readGeneration({ statement: (sql) => copy.prepare(sql) });
  } finally {
    copy.close();
  }
}

/**
 * The name appears with the bytes behind it on the disk. A link, unlike a renaming, never takes another file's place.
 * A name that may not last is taken back: the caller is told that there is no backup.
 */
function publish(partial: string, to: string): void {
  syncPath(partial);
  moveTo(partial, to);
  try {
    if (process.platform !== "win32") syncPath(path().dirname(to));
  } catch (error) {
    removeQuietly(to);
    throw error;
  }
}

function moveTo(partial: string, to: string): void {
  try {
    fs().linkSync(partial, to);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw taken(to, cause);
    fs().renameSync(partial, to); // a file system without links
    return;
  }
  removeQuietly(partial);
}

/** Leaves the file where it can't be removed: whatever else went wrong is what the caller is told. */
function removeQuietly(file: string): void {
  try {
    fs().rmSync(file, { force: true });
  } catch {
    // It is of no use to anybody, and in nobody's way.
  }
}

function taken(to: string, cause?: unknown): SqliteStoreError<"backup_failed"> {
  return failed(to, "there is a file of that name", cause);
}

function syncPath(file: string): void {
  const descriptor = fs().openSync(file, process.platform === "win32" ? "r+" : "r");
  try {
    fs().fsyncSync(descriptor);
  } finally {
    fs().closeSync(descriptor);
  }
}

function failed(to: string, reason: string, cause?: unknown): SqliteStoreError<"backup_failed"> {
  const message = `no backup was made at ${to}: ${reason}`;
  return new SqliteStoreError("backup_failed", message, { details: { path: to, reason }, cause });
}
