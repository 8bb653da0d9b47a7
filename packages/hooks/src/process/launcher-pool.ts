import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Launcher } from "./launcher.ts";
import type { LauncherTools } from "./launcher-script.ts";

/** One user of a pool. */
export interface LauncherSeat {
  /** The launcher to use now; undefined where there can be none. */
  launcher(): Launcher | undefined;
  /** The last seat to close ends the launcher; resolves when that is gone. */
  close(): Promise<void>;
}

/** Shares one launcher between all who have a seat, and replaces it when it is lost. */
export class LauncherPool {
  readonly #start: () => Launcher | undefined;
  #seats = 0;
  #launcher: Launcher | undefined;

  constructor(start: () => Launcher | undefined) {
    this.#start = start;
  }

  /** Takes a seat; the launcher is started now, so that it is warm. */
  open(): LauncherSeat {
    this.#seats += 1;
    this.#current();
    let isOpen = true;
    return {
      launcher: () => (isOpen ? this.#current() : undefined),
      close: async () => {
        if (isOpen) this.#seats -= 1;
        isOpen = false;
        if (this.#seats > 0) return;
        const last = this.#launcher;
        this.#launcher = undefined;
        await last?.close();
      },
    };
  }

  #current(): Launcher | undefined {
    if (this.#launcher?.isUsable !== true) this.#launcher = this.#start();
    return this.#launcher;
  }
}

/** Where a system may keep its own programs. PATH is not asked: it leads anywhere. */
const DIRECTORIES = ["/usr/bin", "/bin"];

/** Starts a launcher, or none: on Windows, without the programs it needs, or where it cannot have a directory. */
export function startLauncher(shell: string = "/bin/sh"): Launcher | undefined {
  const tools = process.platform === "win32" ? undefined : findTools();
  if (tools === undefined || !isExecutable(shell)) return undefined;
  try {
    return new Launcher(mkdtempSync(join(filePlace(), "basis-run-")), { tools, shell });
  } catch {
    return undefined;
  }
}

/** A file system in memory, where files cost a quarter. */
const MEMORY = "/dev/shm";
const TMPFS = 0x01021994;
/** Room for the largest requests and answers of many programs; containers often give less. */
const NEEDED_BYTES = 512 * 1024 * 1024;

/** Where a launcher's files go: to memory where there is plenty for it, unless the user names a place for such files. */
function filePlace(): string {
  if (process.env["TMPDIR"]) return tmpdir();
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize >= NEEDED_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

function findTools(): LauncherTools | undefined {
  const find = (name: string): string | undefined =>
    DIRECTORIES.map((directory) => join(directory, name)).find(isExecutable);
  const [setsid, env, rm, mkfifo] = [find("setsid"), find("env"), find("rm"), find("mkfifo")];
  return setsid && env && rm && mkfifo ? { setsid, env, rm, mkfifo } : undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** That of this process. */
export const launcherPool: LauncherPool = new LauncherPool(() => startLauncher());
