import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { HookError } from "../hook-error.ts";
import { fileDigest, pinnedPath, type PinnedEntry } from "./pin-entries.ts";

const living = new Set<string>();

/** Removes what is left when the host itself exits. */
function removeAll(): void {
  for (const directory of living) rmSync(directory, { recursive: true, force: true });
}

/** Copies of the verified bytes in a directory of the user's alone: what runs, whatever becomes of the originals. */
export class PrivateCode {
  readonly #directory: string;
  readonly #workspace: string;
  readonly #copies: ReadonlyMap<PinnedEntry, ReadonlyMap<string, string>>;

  private constructor(
    directory: string,
    workspace: string,
    copies: ReadonlyMap<PinnedEntry, ReadonlyMap<string, string>>,
  ) {
    this.#directory = directory;
    this.#workspace = workspace;
    this.#copies = copies;
  }

  /** Writes the copies below `root`, each entry's in a tree of its own that mirrors the workspace. */
  static async create(
    root: string,
    workspace: string,
    entries: readonly PinnedEntry[],
  ): Promise<PrivateCode> {
    const directory = await makeDirectory(root);
    if (living.size === 0) process.on("exit", removeAll);
    living.add(directory);
    const copies = new Map<PinnedEntry, ReadonlyMap<string, string>>();
    const code = new PrivateCode(directory, workspace, copies);
    try {
      const trees = new Map<string, ReadonlyMap<string, string>>();
      for (const [index, entry] of entries.entries()) {
        // Entries of the same command and code share a tree: so they can share a worker.
        const key = JSON.stringify([entry.settings.command, entry.pin.files]);
        const tree = trees.get(key) ?? (await writeCopies(join(directory, String(index)), entry));
        trees.set(key, tree);
        copies.set(entry, tree);
      }
      return code;
    } catch (error) {
      await code.remove();
      throw error;
    }
  }

  /** The entry's command with its program as it was found and, in place of the word that names its code, the copy. */
  commandOf(entry: PinnedEntry): readonly string[] {
    const { settings, programPath, codeIndex } = entry;
    const [program = "", ...args] = settings.command;
    return [programPath ?? program, ...args].map((word, index) =>
      index === codeIndex ? this.#codeOf(entry, word) : word,
    );
  }

  /** What differs from what was trusted, in words, or undefined: the originals first, then the copies. */
  async problemOf(entry: PinnedEntry, signal: AbortSignal): Promise<string | undefined> {
    const problems = entry.pin.files.map(async ({ path, digest }) => {
      const copy = this.#copies.get(entry)?.get(path);
      const [original, copied] = await Promise.all([
        fileDigest(pinnedPath(this.#workspace, path), signal),
        copy === undefined ? null : fileDigest(copy, signal),
      ]);
      if (original === null) return `${path} cannot be read`;
      if (original !== digest) return `${path} changed`;
      return copied === digest ? undefined : `the copy of ${path} changed`;
    });
    return (await Promise.all(problems)).find((problem) => problem !== undefined);
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
    living.delete(this.#directory);
    if (living.size === 0) process.off("exit", removeAll);
  }

  #codeOf(entry: PinnedEntry, word: string): string {
    const original = pinnedPath(this.#workspace, word);
    for (const [path, copy] of this.#copies.get(entry) ?? []) {
      if (pinnedPath(this.#workspace, path) === original) return copy;
    }
    // It could not be read when it was pinned: every question then fails the check before it gets here.
    return join(this.#directory, "missing");
  }
}

/** @throws HookError `invalid_trust_file` where there is no place for copies. */
async function makeDirectory(root: string): Promise<string> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await removeLeftovers(root);
    return await realpath(await mkdtemp(join(root, `${prefix()}${process.pid}-`)));
  } catch (error) {
    throw new HookError(
      "invalid_trust_file",
      `trusted hooks run from copies, and none can be made in ${root}: ${(error as Error).message}; make it writable`,
      { details: { path: root }, cause: error },
    );
  }
}

async function writeCopies(tree: string, { bytes }: PinnedEntry): Promise<ReadonlyMap<string, string>> {
  const copies = new Map<string, string>();
  for (const [path, content] of bytes) {
    const target = isAbsolute(path)
      ? join(tree, "outside", String(copies.size), basename(path))
      : join(tree, "workspace", path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, content, { flag: "wx", mode: 0o500 });
    copies.set(path, target);
  }
  return copies;
}

/** Machines and containers may share a directory; numbers of processes mean something within one. */
function prefix(): string {
  return `hooks-${hostname()}-`;
}

/** Removes what processes left behind that were killed. */
async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(prefix())) continue;
    const pid = Number(name.slice(prefix().length).split("-")[0]);
    if (!Number.isInteger(pid) || pid <= 0 || isAlive(pid)) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
