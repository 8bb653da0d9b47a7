import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { refuseProtected } from "./protected-path.ts";
import { ToolFailure } from "./tool.ts";
import { isInside, resolveInWorkspace } from "./workspace-path.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

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
}

/**
 * Writes a whole file of the workspace, making missing directories. What is opened is verified (inside,
 * regular, one link, not protected) before a byte of it is cut off; the signal is looked at before each change.
 */
export async function writeConfined(root: string, { path, content, signal }: ConfinedWrite): Promise<string> {
  const named = await resolveInWorkspace(root, path);
  const { absolute, shown } = named;
  await refuseProtected(root, named);
  signal.throwIfAborted();
  await mkdir(dirname(absolute), { recursive: true });
  signal.throwIfAborted();
  const handle = await openNamed(absolute, shown, O_WRONLY | O_CREAT);
  try {
    const { nlink, real } = await verify(handle, { root, absolute, shown });
    if (nlink > 1)
      throw new ToolFailure(`'${shown}' has another hard link, which may be outside; it is not written`);
    await refuseProtected(root, { shown, real });
    signal.throwIfAborted();
    await handle.truncate(0);
    await handle.writeFile(content);
    return shown;
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
