import { constants } from "node:fs";
import { lstat, open, realpath, type FileHandle } from "node:fs/promises";
import { HookError } from "../hook-error.ts";

/** A file as it was read: its text and what tells it from every other file. */
export interface RegularFile {
  readonly path: string;
  /** The path without symbolic links. */
  readonly realPath: string;
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Device and inode: equal for two paths to one file. */
  readonly identity: string;
  readonly ownerId: number;
  readonly mode: number;
}

/** How much is read, and for whom. */
export interface ReadOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The bytes of a regular file, whatever they are. A path at which there is nothing gives undefined. @throws as `readRegularFile`. */
export async function readRegularBytes(path: string, options: ReadOptions): Promise<Uint8Array | undefined> {
  return (await readOpening(path, options))?.bytes;
}

/**
 * Reads a regular file of UTF-8 text. A path at which there is nothing gives undefined.
 * Never waits for a pipe or a device, and never reads more than `maxBytes`.
 *
 * @throws HookError `unreadable_file` for everything else.
 */
export async function readRegularFile(path: string, options: ReadOptions): Promise<RegularFile | undefined> {
  const read = await readOpening(path, options);
  if (read === undefined) return undefined;
  return { ...read, realPath: await realPathOf(path), text: decodeUtf8(read.bytes, path) };
}

type FileBytes = Omit<RegularFile, "text" | "realPath">;

async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch((error: Error) => {
    throw unreadable(path, error.message, error);
  });
}

async function readOpening(path: string, options: ReadOptions): Promise<FileBytes | undefined> {
  options.signal?.throwIfAborted();
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !(await isThere(path))) return undefined;
    throw unreadable(path, (error as Error).message, error);
  }
  try {
    return await readOpened(file, path, options.maxBytes);
  } catch (error) {
    throw error instanceof HookError ? error : unreadable(path, (error as Error).message, error);
  } finally {
    await file.close();
  }
}

async function readOpened(file: FileHandle, path: string, maxBytes: number): Promise<FileBytes> {
  const facts = await file.stat({ bigint: true });
  if (!facts.isFile()) throw unreadable(path, "it is not a regular file");
  if (facts.size > maxBytes) throw unreadable(path, `it is larger than ${maxBytes} bytes`);
  // One byte more than there should be shows a file that grows under the reader.
  const size = Number(facts.size);
  const buffer = Buffer.alloc(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length > size) break;
  }
  if (length > size) throw unreadable(path, "it grew while it was read");
  const bytes = buffer.subarray(0, length);
  return {
    path,
    bytes,
    identity: `${facts.dev}:${facts.ino}`,
    ownerId: Number(facts.uid),
    mode: Number(facts.mode),
  };
}

function decodeUtf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(path, "it is not UTF-8 text", error);
  }
}

/** True for a dangling symbolic link as well: somebody meant a file to be there. */
async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function unreadable(path: string, why: string, cause?: unknown): HookError {
  return new HookError("unreadable_file", `${path} cannot be read: ${why}`, { details: { path }, cause });
}
