import { constants } from "node:fs";
import { mkdir, open, realpath, type FileHandle } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import { ToolFailure } from "./tool.ts";
import { isInside, refuseProtected, resolveInWorkspace } from "./workspace-path.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Most bytes that are read of one file. */
export const MAX_FILE_BYTES: number = 8 * 1024 * 1024;

/**
 * Reads a regular file of the workspace. A link as the last component is not followed; a device or a pipe
 * neither blocks nor is read; a file beyond 8 MiB is refused.
 */
export async function readConfined(root: string, path: string): Promise<Buffer> {
  const { absolute, shown } = await resolveInWorkspace(root, path);
  const handle = await openNamed(absolute, shown, O_RDONLY);
  try {
    const { size } = await verify(handle, { root, absolute, shown });
    if (size > MAX_FILE_BYTES)
      throw new ToolFailure(`'${shown}' has ${size} bytes; at most ${MAX_FILE_BYTES} are read`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a whole file of the workspace, making missing directories. What is opened is verified (inside,
 * regular, one link, not protected) before a byte of it is cut off.
 */
export async function writeConfined(root: string, path: string, content: string): Promise<string> {
  const { absolute, shown } = await resolveInWorkspace(root, path);
  refuseProtected(shown);
  await mkdir(dirname(absolute), { recursive: true });
  const handle = await openNamed(absolute, shown, O_WRONLY | O_CREAT);
  try {
    const { nlink, real } = await verify(handle, { root, absolute, shown });
    if (nlink > 1)
      throw new ToolFailure(`'${shown}' has another hard link, which may be outside; it is not written`);
    refuseProtected(relative(root, real).split(sep).join("/"));
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
  const again = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  const found = await again?.stat();
  await again?.close();
  if (found && (found.ino !== opened.ino || found.dev !== opened.dev)) {
    throw new ToolFailure(`'${shown}' changed while it was being opened; try again`);
  }
  return { size: opened.size, nlink: opened.nlink, real };
}
