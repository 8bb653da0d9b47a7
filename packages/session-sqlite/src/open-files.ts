import type { FileIdentity } from "./store-file.ts";

/** A store file that this process has open. */
export interface OpenStoreFile extends FileIdentity {
  readonly path: string;
}

/** Shared by every copy of this package in the process: a second copy's handle would be a second handle all the same. */
const registryKey = Symbol.for("@mobkit/session-sqlite/open-files");

function registry(): Map<string, OpenStoreFile> {
  const host = globalThis as { [registryKey]?: Map<string, OpenStoreFile> };
  return (host[registryKey] ??= new Map());
}

const keyOf = (file: FileIdentity): string => `${file.device}:${file.inode}`;

/** Notes a file as open; false when this process has it open already. */
export function claimFile(file: OpenStoreFile): boolean {
  if (registry().has(keyOf(file))) return false;
  registry().set(keyOf(file), file);
  return true;
}

/** Notes a file as closed. */
export function releaseFile(file: FileIdentity): void {
  registry().delete(keyOf(file));
}

/**
 * The store files that this process has open. A tool that opens files compares device and inode with these and
 * refuses: opening and closing a live database a second time in one process drops SQLite's locks on it.
 * Source: https://sqlite.org/howtocorrupt.html, section 2.2.
 */
export function openStoreFiles(): readonly OpenStoreFile[] {
  return [...registry().values()];
}
