import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hostOf, isMarkGiven, LINEAGE_VARIABLE, isOwnMark, marksIn } from "./lineage-mark.ts";

/** How long a program that was just killed may take to be gone. */
const GOING_MS = 100;

/** Characters of a command line that are told. */
const MAX_COMMAND = 200;

/** A program that a tool started and that goes on. */
export interface Survivor {
  readonly pid: number;
  /** Its words as it started, cut at 200 characters. */
  readonly command: string;
  /** The process number of the innermost host that started it. */
  readonly host: number;
}

/** Where processes are looked at: laid out as /proc is. Where it is missing, nothing is seen. */
export interface ProcessTable {
  readonly table?: string;
}

/**
 * Programs of this process's tools that left their group, and so were not killed with it. One that took the mark off its
 * environment is not seen, nor one of another user.
 */
export async function ownSurvivors({ table = "/proc" }: ProcessTable = {}): Promise<readonly Survivor[]> {
  if (!isMarkGiven()) return [];
  const isOwn = (marks: readonly string[]): boolean => marks.some(isOwnMark);
  const first = await markedProcesses(table, isOwn);
  if (first.length === 0) return [];
  await wait(GOING_MS);
  const still = await markedProcesses(table, isOwn);
  return still.filter(({ pid }) => first.some((before) => before.pid === pid));
}

/** Programs of hosts of this machine of which none runs any more. */
export async function orphans({ table = "/proc" }: ProcessTable = {}): Promise<readonly Survivor[]> {
  const numbers = new Set(await processNumbers(table));
  return markedProcesses(table, (marks) => {
    const hosts = marks.map(hostOf);
    return hosts.every((host) => host !== undefined && !numbers.has(host));
  });
}

async function markedProcesses(
  table: string,
  matches: (marks: readonly string[]) => boolean,
): Promise<readonly Survivor[]> {
  const found: Survivor[] = [];
  for (const pid of await processNumbers(table)) {
    const marks = marksOf(await textOf(join(table, String(pid), "environ")));
    const host = hostOf(marks.at(-1) ?? "");
    if (host === undefined || pid === process.pid || !matches(marks)) continue;
    const words = (await textOf(join(table, String(pid), "cmdline"))).split("\0").filter(Boolean);
    found.push({ pid, command: words.join(" ").slice(0, MAX_COMMAND), host });
  }
  return found;
}

async function processNumbers(table: string): Promise<readonly number[]> {
  const names = await readdir(table).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

function marksOf(environment: string): readonly string[] {
  const prefix = `${LINEAGE_VARIABLE}=`;
  const entry = environment.split("\0").find((each) => each.startsWith(prefix));
  return entry === undefined ? [] : marksIn(entry.slice(prefix.length));
}

/** Empty where the process is gone or another user's. */
function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
