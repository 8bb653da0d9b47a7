import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { dirname, isAbsolute } from "node:path";
import { isJsonObject, parseStrict, systemClock, type JsonValue } from "@basis/core";
import { HookError } from "../hook-error.ts";
import { isInside } from "../process/path-inside.ts";
import { readRegularFile, type RegularFile } from "../node/regular-file.ts";
import type { TrustRecord } from "./trust-record.ts";

/** The version of the trust file. */
const TRUST_FILE_SCHEMA = 1;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The mode bits that let a group or everybody write. */
const WRITABLE_BY_OTHERS = 0o022;
const LOCK_WAIT_MS = 10_000;
const LOCK_RETRY_MS = 10;
/** A lock this old was left behind: its holder needs it for a few milliseconds. */
const LOCK_STALE_MS = 5000;

/** Which file, and the workspace that must not contain it. */
export interface TrustFilePlace {
  readonly trustFile: string;
  readonly workspace?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads every record; without a file there are none. @throws HookError `invalid_trust_file`. */
export async function readRecords(place: TrustFilePlace): Promise<readonly TrustRecord[]> {
  const { trustFile, workspace, signal } = place;
  if (!isAbsolute(trustFile)) throw invalid(trustFile, "it is not an absolute path");
  let file: RegularFile | undefined;
  try {
    file = await readRegularFile(trustFile, { maxBytes: MAX_FILE_BYTES, signal });
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    throw invalid(trustFile, error.message, error);
  }
  if (workspace !== undefined) await refuseInside(workspace, file?.realPath ?? trustFile);
  if (file === undefined) return [];
  checkOwner(file);
  const parsed = parseStrict(file.text, { maxBytes: MAX_FILE_BYTES });
  if (!parsed.ok) throw invalid(trustFile, `it is not JSON: ${parsed.message}`);
  return recordsOf(trustFile, parsed.value);
}

/**
 * Changes the records: read, changed and replaced whole while a lock is held, so that two processes lose nothing.
 * The file is the user's alone (0600).
 *
 * @throws HookError `invalid_trust_file`.
 */
export async function updateRecords(
  place: TrustFilePlace,
  change: (records: readonly TrustRecord[]) => readonly TrustRecord[],
): Promise<void> {
  const { trustFile, signal } = place;
  if (!isAbsolute(trustFile)) throw invalid(trustFile, "it is not an absolute path");
  const lock = `${trustFile}.lock`;
  try {
    await mkdir(dirname(trustFile), { recursive: true, mode: 0o700 });
    const token = await takeLock(lock, signal);
    try {
      await changeLocked(place, change, { path: lock, token });
    } finally {
      if ((await holderOf(lock)) === token) await rm(lock, { force: true });
    }
  } catch (error) {
    if (error instanceof HookError || signal?.aborted) throw error;
    throw invalid(trustFile, `it cannot be written: ${(error as Error).message}`, error);
  }
}

async function changeLocked(
  place: TrustFilePlace,
  change: (records: readonly TrustRecord[]) => readonly TrustRecord[],
  lock: { readonly path: string; readonly token: string },
): Promise<void> {
  const { trustFile, signal } = place;
  const workspaces = change(await readRecords(place));
  signal?.throwIfAborted();
  const text = `${JSON.stringify({ schema: TRUST_FILE_SCHEMA, workspaces }, null, 2)}\n`;
  await replace(trustFile, text, async () => {
    if ((await holderOf(lock.path)) !== lock.token)
      throw invalid(trustFile, "its lock was taken over; try again");
  });
}

async function replace(path: string, text: string, mayReplace: () => Promise<void>): Promise<void> {
  const next = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(next, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await mayReplace();
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

async function takeLock(lock: string, signal: AbortSignal | undefined): Promise<string> {
  const token = randomUUID();
  const end = systemClock.monotonicMs() + LOCK_WAIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const file = await open(lock, "wx", 0o600);
      await file.writeFile(token).finally(() => file.close());
      return token;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    await removeStale(lock);
    if (systemClock.monotonicMs() > end)
      throw invalid(lock, "it is held by another process; delete it when there is none");
    await sleep(LOCK_RETRY_MS);
  }
}

/** Moves an old lock aside first, so that of two who find it only one removes it. */
async function removeStale(lock: string): Promise<void> {
  const facts = await stat(lock).catch(() => undefined);
  if (facts === undefined || systemClock.now() - facts.mtimeMs < LOCK_STALE_MS) return;
  const aside = `${lock}.${randomUUID()}`;
  await rename(lock, aside).catch(() => undefined);
  await rm(aside, { force: true });
}

async function holderOf(lock: string): Promise<string | undefined> {
  return readFile(lock, "utf8").catch(() => undefined);
}

/** A repository must not bring along the record that trusts it. */
async function refuseInside(workspace: string, path: string): Promise<void> {
  const directory = await realpath(dirname(path)).catch(() => dirname(path));
  if (!isInside(workspace, path) && !isInside(workspace, directory)) return;
  throw new HookError(
    "invalid_trust_file",
    `the record of trust ${path} lies inside the workspace ${workspace}; keep it elsewhere`,
    { details: { path } },
  );
}

function checkOwner({ path, ownerId, mode }: RegularFile): void {
  const ownId = process.getuid?.();
  if (ownId === undefined) return;
  if (ownerId !== ownId) throw invalid(path, "it belongs to another user");
  if ((mode & WRITABLE_BY_OTHERS) !== 0) throw invalid(path, "others than its owner may write to it");
}

function recordsOf(path: string, document: JsonValue): readonly TrustRecord[] {
  const schema = isJsonObject(document) ? document["schema"] : undefined;
  if (schema !== undefined && schema !== TRUST_FILE_SCHEMA)
    throw invalid(
      path,
      `its schema is ${JSON.stringify(schema)} and this version reads ${TRUST_FILE_SCHEMA}`,
    );
  const list = isJsonObject(document) ? document["workspaces"] : undefined;
  if (schema === undefined || !Array.isArray(list) || !list.every(isRecord))
    throw invalid(path, "it is not a list of trusted workspaces");
  return list as readonly unknown[] as readonly TrustRecord[];
}

function isRecord(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { workspace, entries } = value;
  return typeof workspace === "string" && Array.isArray(entries) && entries.every(isEntryPin);
}

function isEntryPin(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { name, digest, settings, program, files, unpinned } = value;
  return (
    [name, digest, program].every((text) => typeof text === "string") &&
    isJsonObject(settings ?? null) &&
    Array.isArray(files) &&
    files.every(isFilePin) &&
    Array.isArray(unpinned) &&
    unpinned.every((why) => typeof why === "string")
  );
}

function isFilePin(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { path, digest } = value;
  return typeof path === "string" && (digest === null || typeof digest === "string");
}

function invalid(path: string, why: string, cause?: unknown): HookError {
  return new HookError(
    "invalid_trust_file",
    `the record of trust ${path} cannot be used: ${why}; correct it, or delete it to start anew`,
    { details: { path }, cause },
  );
}
