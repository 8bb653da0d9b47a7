import { accessSync, chmodSync, constants, mkdirSync, realpathSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { isInside } from "../tools/workspace-path.ts";
import { StartError } from "./start-error.ts";
import { whyNotWritten } from "./why-not-written.ts";

/** The environment as a plain record. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the host's own state lies: `BASIS_DATA_DIR`, else `basis` in the XDG data directory. */
export function dataDirectory(env: Environment): string {
  return (
    given(env, "BASIS_DATA_DIR") ??
    join(given(env, "XDG_DATA_HOME") ?? join(home(env), ".local", "share"), "basis")
  );
}

/** Where the user's configuration lies: `BASIS_CONFIG_DIR`, else `basis` in the XDG configuration directory. */
export function configDirectory(env: Environment): string {
  return (
    given(env, "BASIS_CONFIG_DIR") ??
    join(given(env, "XDG_CONFIG_HOME") ?? join(home(env), ".config"), "basis")
  );
}

/**
 * Makes the data directory (0700) and answers its real path. It must be absolute, a directory of this user's,
 * writable, and outside the workspace, if there is one yet, where tools could reach it.
 *
 * @throws StartError `data_directory`
 */
export function openDataDirectory(path: string, workspace?: string): string {
  if (!isAbsolute(path)) throw refuse(path, "is not an absolute path; set BASIS_DATA_DIR to one");
  try {
    makeDirectories(path);
  } catch (error) {
    throw refuse(path, `${whyNotMade(error)}; set BASIS_DATA_DIR to a directory you can write`);
  }
  const real = realpathSync(path);
  if (workspace !== undefined && isInside(workspace, real))
    throw refuse(
      path,
      `lies inside the workspace ${workspace}, where tools could change it; work in another folder (cd), or set BASIS_DATA_DIR to a directory outside`,
    );
  const stat = statSync(real);
  const user = process.getuid?.();
  if (user !== undefined && stat.uid !== user)
    throw refuse(path, "belongs to another user; set BASIS_DATA_DIR to a directory of your own");
  if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) chmodSync(real, 0o700);
  if (!isWritable(real))
    throw refuse(path, "cannot be written; set BASIS_DATA_DIR to a directory you can write");
  return real;
}

/** One directory at a time: mkdir's own `recursive` never comes back where the system denies what it lists (/proc). */
function makeDirectories(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectories(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function whyNotMade(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EEXIST" || code === "ENOTDIR") return "is not a directory, or runs through a file";
  // Where the system lists a directory without letting it be made (/proc), it says that there is none.
  return `cannot be made: ${code === "ENOENT" ? "you may not write there" : whyNotWritten(error)}`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A variable that is set to nothing counts as not set. */
function given(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === "" ? undefined : value;
}

/** Services are started without HOME: then it is the one that the system knows of the user, as for a shell of theirs. */
function home(env: Environment): string {
  return given(env, "HOME") ?? given(env, "USERPROFILE") ?? accountHome() ?? "/";
}

/** Undefined for a user whom the system does not know, as in a container that was given a number. */
function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

function refuse(path: string, problem: string): StartError {
  return new StartError("data_directory", [`data directory ${path} ${problem}`]);
}
