import type { Program } from "./command.ts";
import { UPTIME_FILE } from "./uptime.ts";

/**
 * What a launcher knows from its start. It is a shell that reads its orders from its control pipe and is never busy:
 * for each program it forks a keeper, which starts the program in a session of its own, waits for it, kills what is
 * left of its group, and reports. The end of the control pipe is the order to kill everything.
 *
 * - `begin ID DIR` in a keeper: it can be cut off from here on; goes to the working directory.
 * - `cut`: signals the program's group. Before the program has made its group it is the one process.
 * - `keep ID PID`: reports `p ID PID`, at the end `x ID STATUS UPTIME`, where the system tells its uptime: when the program
 *   was seen to have ended, which the host may read much later. The shell has reaped the leader in the very step before
 *   the group is killed; its number is not given away while the group has members.
 *
 * A report that nobody reads any more must not end its teller: hence the trap on PIPE, which programs do not inherit.
 * TERM asks a keeper to end its program, USR1 to kill it. A keeper that is not this far yet dies of them. A launcher
 * ignores USR1 only when it is about to send it: what it forks must not inherit that.
 */
export function prelude(directory: string, tools: LauncherTools): string {
  return `trap : PIPE
unset PWD OLDPWD SHLVL up
begin() {
pid= how=
trap : PIPE
trap 'how=TERM; cut' TERM
trap 'how=KILL; cut' USR1
cd -- "$2" 2>/dev/null || { echo "c $1 directory" >&3; exit 0; }
unset PWD OLDPWD
}
cut() {
again=1
[ -z "$pid" ] || kill -s "$how" -- "-$pid" || { kill -s "$how" "$pid"; kill -s "$how" -- "-$pid"; }
} 2>/dev/null
keep() {
pid=$2
exec >&3 2>/dev/null 3>&- 4<&-
[ -z "$how" ] || cut
echo "p $1 $pid"
again=1
while [ -n "$again" ]; do again=; wait "$pid"; status=$?; done
read -r up rest <${UPTIME_FILE}
kill -s KILL -- "-$pid"
echo "x $1 $status $up"
}
trap 'trap "" USR1; kill -s USR1 0; kill -s CONT 0; ${quoted(tools.rm)} -rf -- ${quoted(directory)}' EXIT
[ -z "$BASH_VERSION" ] && echo plain || echo bash
`;
}

/** Which shell a launcher turned out to be. bash puts a variable of its own into what it starts. */
export type ShellKind = "plain" | "bash";

/** The programs of the system that a launcher starts others with. */
export interface LauncherTools {
  /** Path of setsid(1), which makes what it starts lead a group. */
  readonly setsid: string;
  /** Path of env(1). */
  readonly env: string;
  /** Path of rm(1). */
  readonly rm: string;
  /** Path of mkfifo(1). */
  readonly mkfifo: string;
}

/** One program to start, with the files that are its standard streams. */
export interface LaunchOrder {
  readonly id: number;
  readonly program: Program;
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether these are named pipes, which the launcher makes. */
  readonly arePipes?: boolean;
}

/**
 * The line that starts a program, or undefined for one that a shell cannot be told exactly: then it is started
 * otherwise. The line is one compound command, so that a shell that got only its beginning runs nothing of it.
 */
export function launchLine(order: LaunchOrder, shell: ShellKind, tools: LauncherTools): string | undefined {
  const { id, program, stdin, stdout, stderr } = order;
  const words = exactWords(program, shell, tools);
  if (words === undefined || !program.cwd.startsWith("/") || program.cwd.includes("\0")) return undefined;
  const start = `${words} <&4 3>&- 4<&- &`;
  const files = `4<${quoted(stdin)} >>${quoted(stdout)} 2>>${quoted(stderr)}`;
  const run = `{ begin ${id} ${quoted(program.cwd)}; ${start} keep ${id} "$!"; } 3>&1 ${files} & k${id}=$!`;
  if (order.arePipes !== true) return `{ ${run}; }\n`;
  const make = `${quoted(tools.mkfifo)} -m 600 -- ${[stdin, stdout, stderr].map(quoted).join(" ")}`;
  return `{ if ${make}; then ${run}; echo "f ${id}"; else k${id}=; echo "c ${id} pipes"; fi; }\n`;
}

/** The line that asks a program to end, or kills it. A keeper that its program has stopped goes on first. */
export function cutLine(id: number, signal: "SIGTERM" | "SIGKILL"): string {
  return `kill -s ${signal === "SIGTERM" ? "TERM" : "USR1"} "$k${id}"; kill -s CONT "$k${id}"\n`;
}

/**
 * The line that forgets a program which has ended. Until then the keeper's number stays taken: it is signalled only
 * before this line, and nobody else can have got its number.
 */
export function forgetLine(id: number): string {
  return `{ [ -z "$k${id}" ] || wait "$k${id}"; unset k${id}; }\n`;
}

/** A word that a shell takes as it is. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names that some shell sets, refuses to set, or acts upon itself. */
const OWN_NAMES =
  /^(?:_|IFS|PWD|OLDPWD|PPID|UID|EUID|GROUPS|OPTIND|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH\w*|BASH\w*|SHELLOPTS|DIRSTACK|FUNCNAME|HISTCMD|PIPESTATUS|COMP_\w+)$/;

/** Values stand in front of a command, never among its words, which every user of the machine can read. */
function exactWords(
  { program, args, env }: Program,
  shell: ShellKind,
  tools: LauncherTools,
): string | undefined {
  const entries = Object.entries(env);
  const words = [program, ...args];
  if (!program.startsWith("/") || [...words, ...Object.values(env)].some((word) => word.includes("\0")))
    return undefined;
  if (!entries.every(([name]) => NAME.test(name) && !OWN_NAMES.test(name))) return undefined;
  const variables = entries.map(([name, value]) => `${name}=${quoted(value)} `).join("");
  const start = `${variables}${quoted(tools.setsid)}`;
  const argv = words.map(quoted).join(" ");
  if (shell === "plain") return `${start} ${argv}`;
  // bash adds `_` and counts SHLVL; env(1) takes that back, and would take a program with a `=` for a variable.
  if (program.includes("=")) return undefined;
  const level = env["SHLVL"] === undefined ? "-u SHLVL" : quoted(`SHLVL=${env["SHLVL"]}`);
  return `${start} ${quoted(tools.env)} -u _ ${level} ${argv}`;
}

/** What a launcher reports. */
export type LauncherReport =
  | { readonly kind: "ready"; readonly shell: ShellKind }
  | { readonly kind: "started"; readonly id: number; readonly pid: number }
  /** Its named pipes are there, to be opened. */
  | { readonly kind: "pipes"; readonly id: number }
  /** Its working directory cannot be entered, or its pipes cannot be made. */
  | { readonly kind: "not_started"; readonly id: number; readonly lacks: "directory" | "pipes" }
  /** `status` as a shell sees it: 128 and the signal's number for one that a signal ended. */
  | {
      readonly kind: "ended";
      readonly id: number;
      readonly status: number;
      /** The system's uptime in seconds when it had ended, where it is known. */
      readonly uptimeS?: number;
    };

/** Reads a line of a launcher; undefined for one that is none. */
export function readReport(line: string): LauncherReport | undefined {
  if (line === "plain" || line === "bash") return { kind: "ready", shell: line };
  const [, mark, first, second, third] =
    /^(?:(p) (\d+) (\d+)|(x) (\d+) (\d+) (\d+\.\d+)?|(c) (\d+) (directory|pipes)|(f) (\d+))$/
      .exec(line)
      ?.filter((part) => part !== undefined) ?? [];
  const id = Number(first);
  switch (mark) {
    case "p":
      return { kind: "started", id, pid: Number(second) };
    case "x":
      return {
        kind: "ended",
        id,
        status: Number(second),
        ...(third !== undefined && { uptimeS: Number(third) }),
      };
    case "c":
      return { kind: "not_started", id, lacks: second as "directory" | "pipes" };
    case "f":
      return { kind: "pipes", id };
    default:
      return undefined;
  }
}
