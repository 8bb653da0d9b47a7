import { execFileSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The demonstration's own files: the script, the schema, and what is laid over the copy. */
export const demoFiles: string = fileURLToPath(new URL("../../demo", import.meta.url));

/** The copy that the demonstration works on, and where its host keeps its state. */
export interface DemoPlace {
  readonly root: string;
  readonly dataDir: string;
  readonly configDir: string;
  remove(): void;
}

/** Copies the folder's tracked files to a temporary directory and lays the demonstration's workspace over them. */
export function layOutDemo(directory: string): DemoPlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "basis-demo-")));
  const root = join(base, "workspace");
  for (const path of trackedFiles(directory)) copyFile(join(directory, path), join(root, path));
  cpSync(join(demoFiles, "workspace"), root, { recursive: true });
  const [dataDir, configDir] = [join(base, "data"), join(base, "config")];
  for (const dir of [dataDir, configDir]) mkdirSync(dir, { mode: 0o700 });
  return { root, dataDir, configDir, remove: () => rmSync(base, { recursive: true, force: true }) };
}

function trackedFiles(directory: string): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-z"], {
    cwd: directory,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split("\0").filter((path) => path !== "");
}

/** Copies one regular file; a link or a file that was deleted is left out. */
function copyFile(from: string, to: string): void {
  if (!existsSync(from) || !lstatSync(from).isFile()) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
