import { spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Reads `+ GROUP` and `- GROUP` from the host. The end of its input, also by the host's death, kills the groups that are
 * still there.
 */
const GUARDIAN = `trap '' TERM INT HUP
groups=' '
while read -r sign group; do
  if [ "$sign" = + ]; then groups="$groups$group "; continue; fi
  rest=' '
  for each in $groups; do [ "$each" = "$group" ] || rest="$rest$each "; done
  groups=$rest
done
for each in $groups; do kill -s KILL -- "-$each"; done`;

let input: Socket | undefined;

/** Kills a process group should this process die before `release` is called. Where there are no groups it does nothing. */
export function guardGroup(group: number): () => void {
  if (process.platform === "win32") return () => undefined;
  const guardian = (input ??= startGuardian());
  guardian.write(`+ ${group}\n`);
  return () => void guardian.write(`- ${group}\n`);
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
