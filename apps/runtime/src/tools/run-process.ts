import { spawn, type ChildProcess } from "node:child_process";
import { realpathSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { onAbort } from "@basis/core";
import { isInside } from "./workspace-path.ts";

/** Bytes of each stream that are kept; of what is beyond, the end is. */
const MAX_OUTPUT = 1024 * 1024;
const KILL_AFTER_MS = 500;
const DRAIN_MS = 50;

/** What to run. */
export interface ProcessRequest {
  readonly argv: readonly [string, ...string[]];
  /** The real working directory. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Hears what the process prints. */
  readonly progress?: (text: string) => void;
}

/** How a process ended. Exactly one of `exitCode` and `exitSignal` is set. */
export interface ProcessResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
}

const inherited = ["HOME", "TMPDIR", "TMP", "TEMP", "LANG", "LC_ALL", "SystemRoot", "COMSPEC", "PATHEXT"];

/** Set in every program that an agent starts, and so in all that it starts itself. */
export const LINEAGE_VARIABLE = "BASIS_LINEAGE";

/**
 * The environment of every process that a tool starts: a baseline without the host's secrets, a PATH without
 * relative entries and without anything inside the workspace, and the mark of an agent's own programs.
 */
export function baselineEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  root: string,
): Record<string, string> {
  const kept = inherited.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const path = (env["PATH"] ?? "").split(delimiter).filter((dir) => isOutside(root, dir));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), [LINEAGE_VARIABLE]: "1" };
}

/** Outside as it is written and as its links lead. */
function isOutside(root: string, dir: string): boolean {
  return isAbsolute(dir) && !isInside(root, dir) && !isInside(root, realPathOf(dir));
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Runs a program without a shell, in a process group of its own. When the signal aborts, the whole group gets TERM
 * and half a second later KILL, and the signal's reason is thrown.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { argv, cwd, env, signal, progress } = request;
  signal.throwIfAborted();
  const [program, ...args] = argv;
  const child = spawn(program, args, {
    cwd,
    env,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  watchGroup(child.pid);
  const stdout = keepTail(child.stdout, progress);
  const stderr = keepTail(child.stderr, progress);
  const stopWatching = onAbort(signal, () => killGroup(child));
  try {
    const [exitCode, exitSignal] = await ended(child);
    if (signal.aborted) throw signal.reason;
    return { stdout: stdout(), stderr: stderr(), exitCode, exitSignal };
  } finally {
    stopWatching();
    killGroup(child);
  }
}

/** Resolves on exit and a short drain: a background child that keeps the pipe open does not hold the call up. */
function ended(child: ChildProcess): Promise<[number | null, string | null]> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, exitSignal) => {
      const finish = (): void => {
        clearTimeout(timer);
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve([code, exitSignal]);
      };
      const timer = setTimeout(finish, DRAIN_MS);
      child.once("close", finish);
    });
  });
}

/** Ends whatever is left of a child's process group. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    child.kill();
    return;
  }
  const { pid } = child;
  if (!signalGroup(pid, "SIGTERM")) {
    forgetGroup(pid);
    return;
  }
  setTimeout(() => {
    signalGroup(pid, "SIGKILL");
    forgetGroup(pid);
  }, KILL_AFTER_MS);
}

/** Groups that may still run, by their leader. */
const groups = new Set<number>();

/** Kills what still runs when the host itself exits. */
function killAll(): void {
  for (const leader of groups) signalGroup(leader, "SIGKILL");
}

function watchGroup(leader: number | undefined): void {
  if (leader === undefined || process.platform === "win32") return;
  if (groups.size === 0) process.on("exit", killAll);
  groups.add(leader);
}

function forgetGroup(leader: number): void {
  if (groups.delete(leader) && groups.size === 0) process.off("exit", killAll);
}

/** False when the group is gone. */
function signalGroup(leader: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(-leader, name);
    return true;
  } catch {
    return false;
  }
}

function keepTail(
  stream: NodeJS.ReadableStream | null,
  progress: ((text: string) => void) | undefined,
): () => string {
  let kept = Buffer.alloc(0);
  let dropped = 0;
  const decoder = new StringDecoder("utf8");
  stream?.on("data", (chunk: Buffer) => {
    const text = progress && decoder.write(chunk);
    if (text) progress?.(text);
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > MAX_OUTPUT) {
      dropped += kept.length - MAX_OUTPUT;
      kept = kept.subarray(-MAX_OUTPUT);
    }
  });
  return () => (dropped > 0 ? `[${dropped} earlier bytes are not kept]\n` : "") + kept.toString("utf8");
}
