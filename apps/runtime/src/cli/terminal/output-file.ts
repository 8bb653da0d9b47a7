import { linkSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { once } from "node:events";
import { newId } from "@basis/core";
import { isSystemError, whyNotWritten } from "../../config/why-not-written.ts";
import { UsageError } from "./exit-code.ts";
import { terminalText } from "./output-format.ts";

const BUFFER_CHARACTERS = 262_144;

/**
 * Writes pieces of text into a new file (0600), whose name appears once all of them are on the disk: a process that dies
 * on the way leaves no file of that name. Answers its size in bytes.
 *
 * @throws UsageError when there is a file of that name, or its directory takes none.
 */
export async function writeNewFile(path: string, pieces: AsyncIterable<string>): Promise<number> {
  await refuseTaken(path);
  const partial = `${path}.${newId()}.partial`;
  const file = await openPartial(path, partial);
  try {
    await writePieces(file, pieces);
    await file.sync();
    await file.close();
    giveName(partial, path);
    return (await stat(path)).size;
  } catch (error) {
    await file.close().catch(() => undefined);
    rmSync(partial, { force: true });
    throw isSystemError(error) ? new Error(notWritten(path, error), { cause: error }) : error;
  }
}

/** Writes pieces of text to standard output, no faster than its reader takes them. */
export async function writeToOutput(pieces: AsyncIterable<string>): Promise<void> {
  const { stdout } = process;
  for await (const piece of pieces) {
    if (!stdout.write(stdout.isTTY ? terminalText(piece) : piece)) await once(stdout, "drain");
  }
}

async function writePieces(file: FileHandle, pieces: AsyncIterable<string>): Promise<void> {
  let buffer = "";
  for await (const piece of pieces) {
    buffer += piece;
    if (buffer.length < BUFFER_CHARACTERS) continue;
    await file.appendFile(buffer);
    buffer = "";
  }
  await file.appendFile(buffer);
}

/** @throws UsageError when something has that name. */
export async function refuseTaken(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined) throw taken(path);
}

async function openPartial(path: string, partial: string): Promise<FileHandle> {
  try {
    return await open(partial, "wx", 0o600);
  } catch (error) {
    throw new UsageError([notWritten(path, error)]);
  }
}

/** What is told of a file that cannot be made. */
export function notWritten(path: string, error: unknown): string {
  return `${path} cannot be written: ${whyNotWritten(error)}`;
}

/** A link, unlike a renaming, never takes another file's place. */
function giveName(partial: string, path: string): void {
  try {
    linkSync(partial, path);
    unlinkSync(partial);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw taken(path);
    renameSync(partial, path); // a file system without links
  }
}

function taken(path: string): UsageError {
  return new UsageError([`there is a file ${path}; name another one, or move it away`]);
}
