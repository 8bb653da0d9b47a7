// The built host as a few files, for tests that start it hundreds of times: a start reads 60 modules instead of 500.
// It is made of dist alone, module by module; the checks of the packed host (`pack:check`) start what users install.
import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const host = join(root, "apps", "runtime");
const joined = join(host, "temp", "joined");

/**
 * Joins what was built at `built` (the time of the newest build in milliseconds) unless that is already there.
 * Answers the file to start. Runs side by side may join the same build: the first one in place is kept.
 */
export async function joinHost(built: number): Promise<string> {
  const folder = join(joined, String(Math.round(built)));
  if (!existsSync(folder)) {
    const fresh = join(joined, `making-${process.pid}`);
    await build({
      entryPoints: [join(host, "dist", "main.js")],
      outdir: fresh,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      external: thirdParties(),
      plugins: [ownAddresses],
      logLevel: "error",
    });
    putInPlace(fresh, folder);
    removeOlder(folder);
  }
  return join(folder, "main.js");
}

/** A module still finds the files that stand beside it. */
const ownAddresses: Plugin = {
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8");
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: contents.replaceAll("import.meta.url", address), loader: "js" };
    });
  },
};

/** Dependencies of the workspace's packages that are no packages of it: they load as installed. */
function thirdParties(): string[] {
  const names = ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .map((name) => join(root, parent, name, "package.json"))
      .filter((path) => existsSync(path))
      .flatMap((path) => {
        const { dependencies, peerDependencies } = JSON.parse(readFileSync(path, "utf8")) as Manifest;
        return Object.keys({ ...dependencies, ...peerDependencies });
      }),
  );
  return [...new Set(names)].filter((name) => !/^@(basis|mobkit)\//.test(name));
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function putInPlace(fresh: string, folder: string): void {
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/** Of earlier builds; one that a run beside this one may still use is younger than an hour. */
function removeOlder(folder: string): void {
  for (const name of readdirSync(joined)) {
    const age = Date.now() - Number(name);
    if (age > 3_600_000 && join(joined, name) !== folder) rmSync(join(joined, name), { recursive: true });
  }
}
