import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, rename, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { newId } from "@basis/core";
import { refuseProtected } from "./protected-path.ts";
import { ToolFailure } from "./tool.ts";
import { isInside, resolveInWorkspace } from "./workspace-path.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Most bytes that are read of one file. */
export const MAX_FILE_BYTES: number = 8 * 1024 * 1024;

/** A file has more bytes than are read. */
export class FileTooBig extends ToolFailure {}

/**
 * Reads a regular file of the workspace. A link as the last component is not followed; a device or a pipe
 * neither blocks nor is read; a file beyond `maxBytes`, 8 MiB unless given, is refused as `FileTooBig`.
 */
export async function readConfined(root: string, path: string, maxBytes = MAX_FILE_BYTES): Promise<Buffer> {
  const { absolute, shown } = await resolveInWorkspace(root, path);
  const handle = await openNamed(absolute, shown, O_RDONLY);
  try {
    const { size } = await verify(handle, { root, absolute, shown });
    if (size > maxBytes) throw new FileTooBig(`'${shown}' has ${size} bytes; at most ${maxBytes} are read`);
    return await readAtMost(handle, size, shown);
  } finally {
    await handle.close();
  }
}

/** Reads to the end; a file that grew meanwhile is refused, so that memory stays bounded. */
async function readAtMost(handle: FileHandle, size: number, shown: string): Promise<Buffer> {
  const bytes = Buffer.alloc(size + 1);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, null);
    if (bytesRead === 0) return bytes.subarray(0, filled);
    filled += bytesRead;
  }
  throw new ToolFailure(`'${shown}' changed while it was being read; try again`);
}

/** What to write, and what may stop it. */
export interface ConfinedWrite {
  readonly path: string;
  readonly content: string;
  readonly signal: AbortSignal;
  /** Real paths of trusted code, which is not written either. */
  readonly trusted?: ReadonlySet<string> | undefined;
}

/**
 * Writes a whole file of the workspace, making missing directories. What is opened is verified (inside,
 * regular, one link, not protected) before anything is changed; the signal is looked at before each change. What the
 * file held is there until the new content is whole: a full disk or a kill leaves one or the other.
 */
export async function writeConfined(root: string, write: ConfinedWrite): Promise<string> {
  const { path, content, signal, trusted } = write;
  const named = await resolveInWorkspace(root, path);
  const { absolute, shown } = named;
  await refuseProtected(root, named, trusted);
  signal.throwIfAborted();
  await mkdir(dirname(absolute), { recursive: true });
  signal.throwIfAborted();
  const handle = await openNamed(absolute, shown, O_WRONLY | O_CREAT);
  try {
    const { size, nlink, real } = await verify(handle, { root, absolute, shown });
    if (nlink > 1)
      throw new ToolFailure(`'${shown}' has another hard link, which may be outside; it is not written`);
    await refuseProtected(root, { shown, real }, trusted);
    signal.throwIfAborted();
    if (size === 0) await handle.writeFile(content);
    else await replaceFile({ handle, real, shown }, content);
    return shown;
  } finally {
    await handle.close();
  }
}

/** Puts a finished file of the same mode and owner in the place of a verified one. */
async function replaceFile(
  old: { handle: FileHandle; real: string; shown: string },
  content: string,
): Promise<void> {
  const { mode, uid, gid, ino } = await old.handle.stat();
  const next = join(dirname(old.real), `.${basename(old.real).slice(0, 64)}.${newId().slice(-12)}.tmp`);
  const handle = await open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(content);
    const made = await handle.stat();
    if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid);
    await handle.chmod(mode & 0o7777);
    await handle.datasync();
    if ((await lstat(old.real)).ino !== ino) {
      throw new ToolFailure(`'${old.shown}' changed while it was being written; try again`);
    }
    await rename(next, old.real);
  } catch (error) {
    await unlink(next).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

async function openNamed(absolute: string, shown: string, flags: number): Promise<FileHandle> {
  try {
    return await open(absolute, flags | O_NOFOLLOW | O_NONBLOCK, 0o666);
  } catch (error) {
    throw new ToolFailure(`'${shown}' ${openProblem((error as NodeJS.ErrnoException).code)}`);
  }
}

function openProblem(code: string | undefined): string {
  switch (code) {
    case "ENOENT":
      return "does not exist";
    case "ELOOP":
      return "is a symbolic link; name the file it points to";
    case "EISDIR":
      return "is a directory";
    case "EACCES":
    case "EPERM":
      return "may not be opened by this user";
    case "ENOTDIR":
      return "runs through a file that is no directory";
    default:
      return `cannot be opened (${code ?? "unknown"})`;
  }
}

interface Named {
  readonly root: string;
  readonly absolute: string;
  readonly shown: string;
}

/** Makes sure that the open file is the regular file of that name inside the workspace. */
async function verify(
  handle: FileHandle,
  { root, absolute, shown }: Named,
): Promise<{ size: number; nlink: number; real: string }> {
  const opened = await handle.stat();
  if (opened.isDirectory()) throw new ToolFailure(`'${shown}' is a directory`);
  if (!opened.isFile()) throw new ToolFailure(`'${shown}' is not a regular file`);
  const real = await realpath(absolute);
  if (!isInside(root, real))
    throw new ToolFailure(`'${shown}' is outside the workspace; name a path inside it`);
  const found = await lstat(real);
  if (found.ino !== opened.ino || found.dev !== opened.dev) {
    throw new ToolFailure(`'${shown}' changed while it was being opened; try again`);
  }
  return { size: opened.size, nlink: opened.nlink, real };
}
