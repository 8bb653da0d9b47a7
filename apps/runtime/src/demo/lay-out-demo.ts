import { cpSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
 * @throws StartError `workspace` when the folder is too big to copy.
 */
export async function layOutDemo(directory: string, signal: AbortSignal): Promise<DemoPlace> {
  const paths = await filesToCopy(directory, signal);
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

/** Copies one regular file; a link or a file that was deleted is left out. */
function copyFile(from: string, to: string): void {
  const stat = lstatSync(from, { throwIfNoEntry: false });
  if (!stat?.isFile()) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
