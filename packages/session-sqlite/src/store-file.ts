import type * as FileSystem from "node:fs";
import type * as Os from "node:os";
import type * as Path from "node:path";
import { networkFileSystem } from "./file-system.ts";
import { SqliteStoreError } from "./store-error.ts";

let loaded: typeof FileSystem | undefined;
/** Looked up once: every commit looks at its file. */
const fs = (): typeof FileSystem => (loaded ??= process.getBuiltinModule("node:fs"));
const path = (): typeof Path => process.getBuiltinModule("node:path");
const os = (): typeof Os => process.getBuiltinModule("node:os");

/** A file's mode as `0600`; undefined when there is none. */
export function fileMode(file: string): string | undefined {
  const stat = statIfThere(file);
  return stat && `0${(stat.mode & 0o777).toString(8)}`;
}

/** The absolute path of a store file. */
export function resolveStorePath(file: string): string {
  return path().resolve(file);
}

/** A path's facts; undefined when nothing is there, also when the path runs through a file. */
function statIfThere(file: string): FileSystem.Stats | undefined {
  try {
    return fs().statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** What tells one file from another, by whatever path it is reached. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
}

/** The identity of a file; undefined when there is none. Looks at the name only: a descriptor closed here would drop SQLite's locks. */
export function fileIdentity(file: string): FileIdentity | undefined {
  const stat = statIfThere(file);
  return stat && { device: stat.dev, inode: stat.ino };
}

/** A file's size in bytes; 0 when there is none. */
export function fileSize(file: string): number {
  return statIfThere(file)?.size ?? 0;
}

/** True when two paths lead to one file that exists. */
export function isSameFile(left: string, right: string): boolean {
  const [one, other] = [fileIdentity(left), fileIdentity(right)];
  return one !== undefined && one.device === other?.device && one.inode === other.inode;
}

/**
 * Makes a store's directory (0700) and file (0600) where they are missing and tightens what is looser, before
 * anything opens the file. SQLite gives its `-wal` and `-shm` files the same mode.
 *
 * @throws SqliteStoreError `network_file_system`, `read_only_media`, `insecure_path`, `not_a_store` (a directory, a device, a missing
 * read-only file, a directory that cannot be made).
 */
export function prepareStoreFile(file: string, options: { readonly readOnly: boolean }): void {
  const directory = path().dirname(file);
  if (!options.readOnly) makeDirectory(file, directory);
  const existing = statIfThere(file);
  if (existing && !existing.isFile()) throw notAStore(file, "it is not a regular file");
  if (!existing && options.readOnly) throw notAStore(file, "it does not exist");
  refuseNetwork(file, directory);
  if (!options.readOnly && isReadOnlyMedia(file)) throw readOnlyMedia(file, "open it with readOnly");
  if (process.platform === "win32" || options.readOnly) return;
  refuseOpenDirectory(directory);
  if (existing) tighten(file, existing);
  else createPrivately(file);
}

/** One directory at a time: mkdir's own `recursive` never comes back where the system denies what it lists (/proc). */
function makeDirectory(file: string, directory: string): void {
  if (isDirectory(directory)) return;
  const parent = path().dirname(directory);
  if (parent !== directory) makeDirectory(file, parent);
  try {
    fs().mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (isDirectory(directory)) return;
    throw notAStore(
      file,
      `its directory ${directory} cannot be made (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

function isDirectory(directory: string): boolean {
  return statIfThere(directory)?.isDirectory() ?? false;
}

/** The file is something else. */
export function notAStore(file: string, reason: string): SqliteStoreError<"not_a_store"> {
  return new SqliteStoreError("not_a_store", `${file} is not a session store: ${reason}`, {
    details: { path: file, reason },
  });
}

function refuseNetwork(file: string, directory: string): void {
  if (process.platform !== "linux") return;
  const fileSystem = networkFileSystem(fs().statfsSync(directory).type);
  if (fileSystem === undefined) return;
  const message =
    `${file} lies on a network file system (${fileSystem}), where SQLite's write-ahead log is not safe: ` +
    `use a local disk, or @mobkit/session-postgres for several machines`;
  throw new SqliteStoreError("network_file_system", message, { details: { path: file, fileSystem } });
}

/** True where nobody can write: then a file without a log can be read as it is. `access` asks the system. */
export function isReadOnlyMedia(
  file: string,
  access: (path: string, mode: number) => void = fs().accessSync,
): boolean {
  try {
    access(path().dirname(file), fs().constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

/** The media can't be written to. */
export function readOnlyMedia(file: string, reason: string): SqliteStoreError<"read_only_media"> {
  return new SqliteStoreError(
    "read_only_media",
    `${file} lies on media that cannot be written to: ${reason}`,
    {
      details: { path: file, reason },
    },
  );
}

/** A directory that anyone may write to (and that has no sticky bit) lets anyone replace the file. */
function refuseOpenDirectory(directory: string): void {
  const { mode } = fs().statSync(directory);
  if ((mode & 0o002) === 0 || (mode & 0o1000) !== 0) return;
  throw insecure(directory, mode, "anyone may replace files in it");
}

function tighten(file: string, stat: FileSystem.Stats): void {
  if ((stat.mode & 0o077) === 0) return;
  try {
    fs().chmodSync(file, 0o600);
  } catch {
    throw insecure(file, stat.mode, "others may read it and this user may not change that");
  }
}

function insecure(target: string, mode: number, why: string): SqliteStoreError<"insecure_path"> {
  const shown = `0${(mode & 0o7777).toString(8)}`;
  return new SqliteStoreError("insecure_path", `${target} has mode ${shown}: ${why}`, {
    details: { path: target, mode: shown },
  });
}

/** Only a file that this call makes is ever opened and closed here: nobody can hold a lock on it yet. */
function createPrivately(file: string): void {
  try {
    fs().closeSync(fs().openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
  }
}

/** What tells this machine and its current boot from others. */
export interface HostIdentity {
  readonly hostId: string;
  /** Changes with every boot; the same in every container on one kernel. */
  readonly bootId: string;
}

/** This machine's identity: `/etc/machine-id` and the kernel's boot id, else the host's name. */
export function hostIdentity(): HostIdentity {
  const name = os().hostname();
  return {
    hostId: firstLine("/etc/machine-id") ?? name,
    bootId: firstLine("/proc/sys/kernel/random/boot_id") ?? `host:${name}`,
  };
}

function firstLine(file: string): string | undefined {
  try {
    return fs().readFileSync(file, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
