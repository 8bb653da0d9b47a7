// Run around packing (`prepack`, `postpack --restore`): in the tarball, everything that loads with a root entry is one module.
// Which entries count as roots, and what keeps its files beside them, says `joined-entries.mjs`.
// Each of those files becomes a re-export of that module, so that every path stays valid; the other files import from it
// directly. So all entries share its instances. Declaration files that no published entry leads to stay out.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";
import { staleModules } from "./file-list.mjs";
import { joinedEntries } from "./joined-entries.mjs";
import { redirectImports } from "./redirect-imports.mjs";
import { unreachedTypes } from "./unreached-types.mjs";

const bundleName = "root-modules.js";
const entryName = "root-entry";
const mark = "// Rewritten for packing: see root-modules.js.\n";

/**
 * Rewrites a package's built files for packing; what they were is kept in `backup`.
 * @param {string} dist
 * @param {string} backup
 * @param {import("./joined-entries.mjs").Joining} [joining] Default: the root entry alone.
 */
export async function bundleRoot(dist, backup, joining = joinedEntries("")) {
  restoreRoot(dist, backup);
  const apart = await reach(dist, joining.apart);
  const modules = await reach(dist, joining.roots, apart);
  const exported = await Promise.all(modules.map((path) => exportedNames(join(dist, path))));
  const lines = modules.map((path, index) =>
    reexport(`./${path}`, exported[index], (name) => `${name} as m${index}_${name}`),
  );
  const { code } = await bundleOf(dist, lines.join(""), apart);
  const rewrite = (path, text) => {
    mkdirSync(dirname(join(backup, path)), { recursive: true });
    writeFileSync(join(backup, path), readFileSync(join(dist, path)));
    writeFileSync(join(dist, path), mark + text);
  };
  for (const path of otherModules(dist, modules)) {
    const text = readFileSync(join(dist, path), "utf8");
    const fresh = redirectImports(path, text, (specifier) => {
      const index = modules.indexOf(posixPath(join(dirname(path), specifier)));
      return index === -1 ? undefined : { from: bundleFrom(path), rename: (name) => `m${index}_${name}` };
    });
    if (fresh !== text) rewrite(path, fresh);
  }
  for (const [index, path] of modules.entries())
    rewrite(
      path,
      reexport(bundleFrom(path), exported[index], (name) => `m${index}_${name} as ${name}`),
    );
  writeFileSync(join(dist, bundleName), code);
}

/** How a file below `dist` names the bundle. */
function bundleFrom(path) {
  const target = posixPath(relative(dirname(path), bundleName));
  return target.startsWith(".") ? target : `./${target}`;
}

function otherModules(dist, modules) {
  return readdirSync(dist, { recursive: true, encoding: "utf8" })
    .map(posixPath)
    .filter((path) => path.endsWith(".js") && !modules.includes(path));
}

/** Takes files out of `dist` for packing; they are kept in `backup`. */
export function takeOut(dist, backup, paths) {
  for (const path of paths) {
    mkdirSync(dirname(join(backup, path)), { recursive: true });
    renameSync(join(dist, path), join(backup, path));
  }
}

/** Puts the built files back. A file that the compiler has written anew since then is left alone. */
export function restoreRoot(dist, backup) {
  if (!existsSync(backup)) return;
  cpSync(backup, dist, {
    recursive: true,
    filter: (_from, to) => {
      if (to.endsWith(".d.ts")) return !existsSync(to);
      return !to.endsWith(".js") || (existsSync(to) && readFileSync(to, "utf8").startsWith(mark));
    },
  });
  rmSync(join(dist, bundleName), { force: true });
  rmSync(backup, { recursive: true });
}

/** The package's own files that load with some of them, below `dist`; `apart` and what only it loads are left out. */
async function reach(dist, entries, apart = []) {
  if (entries.length === 0) return [];
  const { modules } = await bundleOf(
    dist,
    entries.map((path) => `export * from "./${path}";\n`).join(""),
    apart,
  );
  return modules.toSorted();
}

/** One module of everything that `entry` (a text standing in `dist`) loads, and which files that is. */
async function bundleOf(dist, entry, apart) {
  const results = /** @type {any} */ (
    await build({
      configFile: false,
      envFile: false,
      publicDir: false,
      root: dist,
      logLevel: "error",
      build: {
        write: false,
        minify: false,
        target: "es2023",
        reportCompressedSize: false,
        // Nothing is dropped: a file that only another entry uses in full must not exist twice.
        rolldownOptions: { treeshake: false },
        lib: { entry: entryName, formats: ["es"], fileName: "root-modules" },
      },
      plugins: [ownModulesOnly(dist, { entry, apart })],
    })
  );
  const [chunk] = [results].flat()[0].output;
  const modules = chunk.moduleIds
    .filter((id) => id.startsWith(dist))
    .map((id) => posixPath(relative(dist, id)));
  return { code: chunk.code, modules };
}

/** Other packages stay imports; what is loaded lazily or stands apart stays a file, named from where the bundle stands. */
function ownModulesOnly(dist, { entry, apart }) {
  return {
    name: "own-modules-only",
    enforce: "pre",
    resolveId(path, importer, { kind }) {
      if (path.endsWith(entryName)) return `\0${entryName}`;
      if (!path.startsWith(".")) return { id: path, external: true };
      const file = join(importer?.startsWith("\0") ? dist : dirname(importer ?? dist), path);
      const below = posixPath(relative(dist, file));
      return kind === "dynamic-import" || apart.includes(below) ? { id: `./${below}`, external: true } : file;
    },
    load: (id) => (id === `\0${entryName}` ? entry : undefined),
  };
}

async function exportedNames(file) {
  return Object.keys(await import(pathToFileURL(file).href));
}

/** A module without values (types alone) is imported for its place in the order. */
function reexport(from, names, rename) {
  return names.length === 0
    ? `import ${JSON.stringify(from)};\n`
    : `export { ${names.map(rename).join(", ")} } from ${JSON.stringify(from)};\n`;
}

function posixPath(path) {
  return path.split(sep).join("/");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const backup = join(root, ".cache", "unbundled", relative(root, process.cwd()));
  const dist = join(process.cwd(), "dist");
  if (process.argv.includes("--restore")) restoreRoot(dist, backup);
  else {
    const manifest = JSON.parse(readFileSync(join(process.cwd(), "package.json"), "utf8"));
    const built = readdirSync(dist, { recursive: true, encoding: "utf8" }).map(posixPath);
    const stale = staleModules(
      built.map((path) => `dist/${path}`),
      (path) => existsSync(join(process.cwd(), path)),
    );
    for (const path of stale) rmSync(join(process.cwd(), path));
    await bundleRoot(dist, backup, joinedEntries(manifest.name));
    const paths = readdirSync(dist, { recursive: true, encoding: "utf8" }).map(posixPath);
    takeOut(dist, backup, unreachedTypes(dist, manifest, paths));
  }
}
