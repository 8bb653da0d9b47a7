import { spawn, spawnSync } from "node:child_process";
import { win32 } from "node:path";
import type { EndSignal } from "./termination.ts";

/** Ends a child together with all that it started. */
export interface GroupSignals {
  /** Signals the group of a child that has not been reaped. Throws or does nothing where it is gone. */
  send(leader: number, signal: EndSignal): void;
  /** The same while this process exits: there is no later for it. */
  sendNow(leader: number, signal: EndSignal): void;
  /** Ends what a child left behind, in the tick in which it was reaped. */
  sweep(leader: number): void;
}

/** Process groups: a child started `detached` leads one. */
export const posixGroups: GroupSignals = Object.freeze({
  send: (leader: number, signal: EndSignal) => void process.kill(-leader, signal),
  sendNow: (leader: number, signal: EndSignal) => void process.kill(-leader, signal),
  // Its number stays taken while anybody is left in the group; an empty group's number is not given away in a tick,
  // since the kernel first goes round all the others.
  sweep: (leader: number) => void process.kill(-leader, "SIGKILL"),
});

/** Signals a group of POSIX; nothing happens where nobody is left in it, or its number is not known. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // nobody is left in it
  }
}

/** How a program of the system is run, apart from this process or before it goes on. */
export interface SystemCommands {
  start(file: string, args: readonly string[]): void;
  runNow(file: string, args: readonly string[]): void;
}

/**
 * Windows has no groups; `taskkill /T` follows the parents from the child down, so it must be there still: what an
 * ended child left behind is out of reach. There is no polite request either: the first signal ends the tree.
 */
export function windowsTrees(
  systemRoot: string | undefined,
  commands: SystemCommands = systemCommands,
): GroupSignals {
  const taskkill = win32.join(systemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  const words = (leader: number): readonly string[] => ["/T", "/F", "/PID", String(leader)];
  return {
    send: (leader) => commands.start(taskkill, words(leader)),
    sendNow: (leader) => commands.runNow(taskkill, words(leader)),
    sweep: () => undefined,
  };
}

const systemCommands: SystemCommands = {
  start(file, args) {
    const child = spawn(file, args, { stdio: "ignore", windowsHide: true });
    child.on("error", () => undefined);
    child.unref();
  },
  runNow: (file, args) => void spawnSync(file, args, { stdio: "ignore", windowsHide: true, timeout: 5000 }),
};

/** Those of the machine this runs on. */
export const groupSignals: GroupSignals =
  process.platform === "win32" ? windowsTrees(process.env["SystemRoot"]) : posixGroups;
