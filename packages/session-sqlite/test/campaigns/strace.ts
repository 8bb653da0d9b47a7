import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The system calls with which SQLite and a backup change a file or wait for the disk. */
export const DISK_CALLS = ["pwrite64", "fsync", "fdatasync", "ftruncate", "link", "unlink"] as const;

/** What goes wrong: the process is killed, the disk is full from here on, or one call fails. */
export type FaultKind = "kill" | "full" | "io";

/** A fault at the n-th call of a kind that a thread of the process makes, counted from 1. */
export interface CallFault {
  readonly kind: FaultKind;
  readonly call: string;
  readonly nth: number;
}

/** How a program ended, and the lines that it has told. */
export interface ProgramEnd {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** True where a program of one's own may be traced. */
export function isTracingAllowed(): boolean {
  return spawnSync("strace", ["-f", "-qq", "-e", "trace=none", "true"]).status === 0;
}

/** Runs a Node program to its end; `tracing` is what strace is told, if it is to be there. */
export function runProgram(
  args: readonly string[],
  options: { readonly tracing?: readonly string[]; readonly fault?: string } = {},
): ProgramEnd {
  const { tracing, fault } = options;
  const command = [...(tracing === undefined ? [] : ["strace", ...tracing]), process.execPath, ...args];
  const env = { ...process.env, ...(fault === undefined ? {} : { BASIS_CAMPAIGN_FAULT: fault }) };
  const [program, ...rest] = command;
  const ended = spawnSync(program!, rest, { encoding: "utf8", env, timeout: 120_000, killSignal: "SIGTERM" });
  const lines = ended.stdout.split("\n").filter((line) => line !== "");
  return { signal: ended.signal, code: ended.status, lines, errors: ended.stderr };
}

/** What strace is told in order to inject a fault. */
export function injection({ kind, call, nth }: CallFault): string[] {
  const effects = {
    kill: `signal=KILL:when=${nth}`,
    full: `error=ENOSPC:when=${nth}+`,
    io: `error=EIO:when=${nth}`,
  };
  // Without seccomp filters: at the stops that they make, strace delivers no signal.
  const quiet = ["-f", "-qq", "-o", "/dev/null"];
  return [...quiet, "-e", `trace=${call}`, "-e", `inject=${call}:${effects[kind]}`];
}

/** What strace is told in order to write the disk calls and what the program tells into a file. */
export function recording(file: string, more: readonly string[] = []): string[] {
  return ["-f", "-qq", "--seccomp-bpf", "-y", "-o", file, "-e", `trace=write,${DISK_CALLS.join()}`, ...more];
}

/**
 * The disk calls between a program's `begin` and its `end`, each with its number among the calls of its kind in its
 * thread, from a recording.
 */
export function callsWithin(file: string): readonly { readonly call: string; readonly nth: number }[] {
  const counts = new Map<string, number>();
  const within = new Map<string, { call: string; nth: number }>();
  let isWithin = false;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [, thread, call] = /^(\d+)\s+(\w+)\(/.exec(line) ?? [];
    if (thread === undefined || call === undefined) continue;
    if (call === "write") {
      if (line.includes('"begin\\n"')) isWithin = true;
      if (line.includes('"end\\n"')) isWithin = false;
      continue;
    }
    const nth = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, nth);
    if (isWithin) within.set(`${call} ${nth}`, { call, nth });
  }
  return [...within.values()];
}
