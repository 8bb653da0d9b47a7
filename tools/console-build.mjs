// Builds the host's page: `apps/runtime/console` becomes `apps/runtime/dist/console`. Fails when its script is over its budget.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";
import { rememberInputs } from "./console-inputs.mjs";
import { repositoryRoot } from "./workspace.mjs";

/**
 * Most bytes of the page's script: until its first paint as they are parsed and as they are sent, and with what it
 * loads afterwards. ADR 0056 tells why these.
 */
export const scriptBudget = { first: 60_000, firstGzip: 24_000, whole: 98_000 };

/** Packages that become a part of the script. */
const bundled = ["preact"];

const target = ["chrome110", "firefox115", "safari16.4"];

/**
 * Builds into a folder, which is emptied before: `app.js` and the parts that it loads, for a host, and `page.js`, the
 * same in one file, for an exported page. Answers how large the script is, and of which files it was made.
 */
export async function buildConsole(
  outdir = join(repositoryRoot, "apps/runtime/dist/console"),
  { root = join(repositoryRoot, "apps/runtime/console") } = {},
) {
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const { parts, inputs } = await buildScript({
    root,
    outdir,
    entryPoints: { app: "main.tsx" },
    splitting: true,
  });
  await buildScript({ root, outdir, entryPoints: { page: "main.tsx" }, splitting: false });
  const style = await build({
    absWorkingDir: root,
    entryPoints: { app: "style.css" },
    outdir,
    minify: true,
    logLevel: "silent",
    metafile: true,
  });
  const copied = ["index.html", "icon.svg"];
  for (const file of copied) copyFileSync(join(root, file), join(outdir, file));
  writeFileSync(join(outdir, "licenses.txt"), licenses(join(root, "main.tsx")));
  const read = (names) => names.map((name) => readFileSync(join(outdir, name)));
  const first = read(neededBy("app.js", parts));
  return {
    first: bytesOf(first),
    firstGzip: bytesOf(first.map((script) => gzipSync(script, { level: 9 }))),
    whole: bytesOf(read([...parts.keys()])),
    inputs: [...inputs, ...Object.keys(style.metafile.inputs), ...copied].map((path) => resolve(root, path)),
  };
}

/** Bundles a script, and makes it small. Answers its files, each with those that it cannot begin without, and what it was made of. */
async function buildScript({ root, outdir, entryPoints, splitting }) {
  const { warnings, outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    splitting,
    chunkNames: "[name]",
    bundle: true,
    minify: true,
    format: "esm",
    target,
    // The calls of the older form are shorter; what is typed stays the newer one.
    tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" } },
    inject: [join(root, "h.ts")],
    legalComments: "none",
    logLevel: "silent",
    metafile: true,
    write: false,
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  for (const { path, text } of outputFiles) writeFileSync(path, splitting ? await smaller(text) : text);
  const outputs = Object.entries(metafile.outputs);
  const parts = new Map(outputs.map(([path, { imports }]) => [basename(path), startsWith(imports)]));
  return { parts, inputs: Object.keys(metafile.inputs) };
}

/** A script as it is sent over the network. */
async function smaller(script) {
  const { code } = await minify(script, {
    module: true,
    ecma: 2020,
    compress: { passes: 2, unsafe_arrows: true },
  });
  return code ?? script;
}

function startsWith(imports) {
  return imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => basename(path));
}

/** A file and all that it cannot begin without. */
function neededBy(name, parts, found = new Set()) {
  if (!found.has(name)) {
    found.add(name);
    for (const needed of parts.get(name)) neededBy(needed, parts, found);
  }
  return [...found];
}

function bytesOf(files) {
  return files.reduce((sum, { length }) => sum + length, 0);
}

/** The licence of each package that is a part of the script. */
function licenses(from) {
  const require = createRequire(from);
  return bundled
    .map((name) => {
      const manifest = packageFile(require.resolve(name), name);
      const { version } = JSON.parse(readFileSync(manifest, "utf8"));
      return `${name} ${version}\n\n${readFileSync(join(dirname(manifest), "LICENSE"), "utf8").trim()}\n`;
    })
    .join("\n----\n\n");
}

function packageFile(entry, name) {
  const folder = join("node_modules", name);
  return join(entry.slice(0, entry.lastIndexOf(folder) + folder.length), "package.json");
}

/** What is over the budget, a line each. */
export function budgetProblems(size) {
  return Object.entries(scriptBudget)
    .filter(([kind, most]) => size[kind] > most)
    .map(([kind, most]) => `the console's script has ${size[kind]} bytes (${kind}), at most ${most}`);
}

if (process.argv[1] === import.meta.filename) {
  const made = await buildConsole();
  const problems = budgetProblems(made);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  else rememberInputs([...made.inputs, import.meta.filename, join(repositoryRoot, "pnpm-lock.yaml")]);
}
