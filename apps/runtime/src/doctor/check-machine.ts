import { constants, accessSync, realpathSync, statfsSync, statSync, type Stats } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { isInside } from "../tools/workspace-path.ts";
import type { Finding } from "./finding.ts";

const LEAST_NODE = [20, 19] as const;

/** The Node that runs this. */
export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const text = `Node ${version} on ${process.platform} ${process.arch}`;
  const found = { section: "machine", name: "node", facts: { version, platform: process.platform } } as const;
  if (enough) return { ...found, level: "ok", text };
  return { ...found, level: "problem", text, fix: `install Node ${LEAST_NODE.join(".")} or later` };
}

/** The directory of the host's state, as a run would judge it; nothing is made or changed. */
export function checkDataDirectory(path: string, workspace: string): Finding {
  const found = { section: "data", name: "directory", facts: { path } } as const;
  const problem = (text: string, fix: string): Finding => ({
    ...found,
    level: "problem",
    text: `${path} ${text}`,
    fix,
  });
  const elsewhere = "set BASIS_DATA_DIR to a directory of your own outside the workspace";
  if (!isAbsolute(path)) return problem("is not an absolute path", elsewhere);
  const stat = statIfThere(path);
  if (stat === undefined) return checkMissing(path, workspace);
  if (!stat.isDirectory()) return problem("is not a directory", elsewhere);
  if (isInside(workspace, realpathSync(path)))
    return problem(
      "lies inside the workspace, where tools could change it",
      `work in another folder (cd), or ${elsewhere}`,
    );
  if (process.getuid !== undefined && stat.uid !== process.getuid())
    return problem("belongs to another user", elsewhere);
  if (!isWritable(path)) return problem("cannot be written", elsewhere);
  const mode = modeOf(stat);
  if (process.platform !== "win32" && (stat.mode & 0o077) !== 0)
    return {
      ...found,
      level: "warning",
      text: `${path} has mode ${mode}: others may look into it`,
      fix: "the next run closes it to others; look who could read it until now",
    };
  return { ...found, level: "ok", text: `${path}, mode ${mode}` };
}

function checkMissing(path: string, workspace: string): Finding {
  const found = { section: "data", name: "directory", facts: { path } } as const;
  const elsewhere = "set BASIS_DATA_DIR to a directory that you can write, outside the workspace";
  if (isInside(workspace, path))
    return {
      ...found,
      level: "problem",
      text: `${path} would lie inside the workspace`,
      fix: `work in another folder (cd), or ${elsewhere}`,
    };
  let parent = dirname(path);
  while (statIfThere(parent) === undefined) parent = dirname(parent);
  if (!statIfThere(parent)?.isDirectory() || !isWritable(parent))
    return {
      ...found,
      level: "problem",
      text: `${path} cannot be made: ${parent} takes no directory`,
      fix: elsewhere,
    };
  return { ...found, level: "ok", text: `${path} does not exist yet; the first run makes it` };
}

/** Below this no store is opened: each of its logs takes as much before the first row. */
const LEAST_ROOM_BYTES = 1_048_576;

/** From here on a full disk is worth a word. */
const LITTLE_ROOM_BYTES = 67_108_864;

/** How much more the disk of the host's state takes; undefined where the system does not say. */
export function checkRoom(path: string, free: number | undefined = roomIn(path)): Finding | undefined {
  if (free === undefined) return undefined;
  const found = { section: "data", name: "room", facts: { path, free_bytes: free } } as const;
  const text = `${path} has room for ${(free / 1_048_576).toFixed(free < 10_485_760 ? 1 : 0)} MiB more`;
  const fix = "free some room on that disk, or set BASIS_DATA_DIR to another";
  if (free < LEAST_ROOM_BYTES) return { ...found, level: "problem", text: `${text}: no run begins`, fix };
  return free < LITTLE_ROOM_BYTES
    ? { ...found, level: "warning", text, fix }
    : { ...found, level: "ok", text };
}

/** Of the directory, or of the one it would be made in. */
function roomIn(path: string): number | undefined {
  let place = path;
  while (statIfThere(place) === undefined) place = dirname(place);
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** A file of the host's state that the user alone should read; undefined when it does not exist. */
export function checkPrivateFile(path: string, name: string): Finding | undefined {
  const stat = statIfThere(path);
  if (stat === undefined) return undefined;
  const mode = modeOf(stat);
  const found = { section: "data", name, facts: { path, bytes: stat.size, mode } } as const;
  const user = process.getuid?.();
  if (user !== undefined && stat.uid !== user)
    return {
      ...found,
      level: "problem",
      text: `${path} belongs to another user`,
      fix: `chown ${user} ${path}`,
    };
  if (process.platform !== "win32" && (stat.mode & 0o600) !== 0o600)
    return {
      ...found,
      level: "problem",
      text: `${path} has mode ${mode}: you may not read and write it`,
      fix: `chmod 600 ${path}`,
    };
  if (process.platform === "win32" || (stat.mode & 0o077) === 0)
    return { ...found, level: "ok", text: `${path}, ${stat.size} bytes, mode ${mode}` };
  return {
    ...found,
    level: "warning",
    text: `${path} has mode ${mode}: others may read it`,
    fix: `chmod 600 ${path}`,
  };
}

/** Undefined when nothing is there, also where the path runs through a file or the user may not look. */
function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function modeOf({ mode }: Stats): string {
  return `0${(mode & 0o777).toString(8).padStart(3, "0")}`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
