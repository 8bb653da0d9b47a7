import {
  accessSync,
  constants,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { StartError } from "../config/start-error.ts";
import { isSystemError, whyNotWritten } from "../config/why-not-written.ts";
import { filesToCopy } from "./files-to-copy.ts";

/** The demonstration's own files: the script, the schema, and what is laid over the copy. */
export const demoFiles: string = fileURLToPath(new URL("../../demo", import.meta.url));

/** The copy that the demonstration works on, and where its host keeps its state. */
export interface DemoPlace {
  readonly root: string;
  readonly dataDir: string;
  readonly configDir: string;
  /** How many files were copied. */
  readonly files: number;
  remove(): void;
}

/**
 * Copies the folder's files to a temporary directory and lays the demonstration's workspace over them. The directory
 * is removed by `remove`, and when the process ends before that.
 *
 * @throws StartError `workspace` when the folder is too big to copy, or the temporary directory does not take the copy.
 */
export async function layOutDemo(directory: string, signal: AbortSignal): Promise<DemoPlace> {
  const paths = await filesToCopy(directory, signal);
  try {
    return copyThere(directory, paths);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const problems = [
      `no copy can be made in ${tmpdir()}: ${whyNotWritten(error)}`,
      "set TMPDIR to a directory that takes the files of this folder",
    ];
    throw new StartError("workspace", problems, error);
  }
}

function copyThere(directory: string, paths: readonly string[]): DemoPlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "basis-demo-")));
  const removeNow = (): void => rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  process.once("exit", removeNow);
  const remove = (): void => {
    removeNow();
    process.off("exit", removeNow);
  };
  const root = join(base, "workspace");
  mkdirSync(root);
  for (const path of paths) copyFile(join(directory, path), join(root, path));
  cpSync(join(demoFiles, "workspace"), root, { recursive: true });
  const [dataDir, configDir] = [join(base, "data"), join(base, "config")];
  for (const dir of [dataDir, configDir]) mkdirSync(dir, { mode: 0o700 });
  return { root, dataDir, configDir, files: paths.length, remove };
}

/** Copies one regular file; a link, and a file that was deleted or may not be read, is left out. */
function copyFile(from: string, to: string): void {
  const stat = lstatSync(from, { throwIfNoEntry: false });
  if (!stat?.isFile() || !isReadable(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
