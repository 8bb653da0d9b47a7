import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { entry } from "./basis-process.ts";

const installed = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

/** The places where the host asks which release it is, and what is installed beside it. */
const ASKING = /"file:[^"]*\/dist\/(version\.js|queue\/engine\/load-engine\.js)"/g;

/** What stands beside a release that is laid out. */
export interface ReleaseParts {
  readonly version: string;
  /** Versions of packages that are only there by their names. */
  readonly fakes?: Readonly<Record<string, string>>;
}

/** Lays the built host out in a directory as another release of it; answers the file to start. */
export function layOutRelease(directory: string, { version, fakes = {} }: ReleaseParts): string {
  const host = join(directory, "dist");
  cpSync(dirname(entry), host, { recursive: true });
  writeFileSync(join(directory, "package.json"), JSON.stringify({ version, type: "module" }));
  const own = pathToFileURL(host).href;
  for (const name of readdirSync(host).filter((file) => file.endsWith(".js"))) {
    const text = readFileSync(join(host, name), "utf8");
    writeFileSync(join(host, name), text.replaceAll(ASKING, `"${own}/$1"`));
  }
  layOutPackages(join(directory, "node_modules"), fakes);
  return join(host, "main.js");
}

function layOutPackages(modules: string, fakes: NonNullable<ReleaseParts["fakes"]>): void {
  mkdirSync(modules, { recursive: true });
  const scopes = new Set(Object.keys(fakes).map((name) => name.split("/")[0]!));
  for (const name of readdirSync(installed))
    if (!scopes.has(name)) symlinkSync(join(installed, name), join(modules, name));
  for (const [name, version] of Object.entries(fakes)) {
    mkdirSync(join(modules, name), { recursive: true });
    writeFileSync(join(modules, name, "package.json"), JSON.stringify({ name, version, main: "index.js" }));
    writeFileSync(join(modules, name, "index.js"), "");
  }
}
