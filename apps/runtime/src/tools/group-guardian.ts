import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { LINEAGE_VARIABLE } from "./lineage-mark.ts";

/**
 * Reads from the host `? MARK` before a program is started, `+ GROUP MARK` once its group is known, `- GROUP` when it has
 * ended and `! MARK` when it was not started. The end of its input, also by the host's death, kills the groups that are
 * still there. A program that runs already while the host has not yet told its group is found by the mark in its
 * environment, where the platform has /proc; looked for five times, since it may just be beginning.
 */
const GUARDIAN = `trap '' TERM INT HUP
groups=' ' starting=' '
without() {
  rest=' '
  for each in $1; do [ "$each" = "$2" ] || rest="$rest$each "; done
}
while read -r sign word mark; do
  case $sign in
    '?') starting="$starting$word " ;;
    '+') groups="$groups$word "; without "$starting" "$mark"; starting=$rest ;;
    '-') without "$groups" "$word"; groups=$rest ;;
    '!') without "$starting" "$word"; starting=$rest ;;
  esac
done
for each in $groups; do kill -s KILL -- "-$each"; done
for mark in $starting; do
  for look in 1 2 3 4 5; do
    for file in $(grep -lsz -E "^${LINEAGE_VARIABLE}=([^,]*,)*$mark\\$" /proc/[0-9]*/environ); do
      leader=\${file#/proc/}
      kill -s KILL -- "-\${leader%/environ}"
    done
    sleep 0.1
  done
done`;

let input: Socket | undefined;

/** What kills a program's group should this process die. */
export interface GroupGuard {
  /** The program runs, in this group. */
  started(group: number): void;
  /** The program has ended, or was not started. */
  release(): void;
}

const nobody: GroupGuard = { started: () => undefined, release: () => undefined };

/**
 * Guards a program that is about to be started with this mark as the last of its lineage, before it can do anything.
 * Where there are no process groups it does nothing.
 */
export function guardProgram(mark: string): GroupGuard {
  if (process.platform === "win32") return nobody;
  const guardian = (input ??= startGuardian());
  guardian.write(`? ${mark}\n`);
  let end = `! ${mark}\n`;
  return {
    started(group) {
      guardian.write(`+ ${group} ${mark}\n`);
      end = `- ${group}\n`;
    },
    release: () => void guardian.write(end),
  };
}

/** A small shell that outlives this process by a moment and keeps it from nothing. */
function startGuardian(): Socket {
  const child = spawn("/bin/sh", ["-c", GUARDIAN, "basis-guardian"], {
    cwd: "/",
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const pipe = child.stdin as Socket;
  // The next program gets another one.
  const forget = (): void => {
    if (input === pipe) input = undefined;
  };
  child.once("error", forget).once("exit", forget).unref();
  pipe.on("error", forget).unref();
  return pipe;
}
