// Builds the host's page: `apps/runtime/console` becomes `apps/runtime/dist/console`. Fails when its script is over its budget.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { repositoryRoot } from "./workspace.mjs";

/** Most bytes of the page's script, as it is sent and as it is parsed. ADR 0044 tells why both. */
export const scriptBudget = { gzip: 36_000, minified: 100_000 };

/** Packages that become a part of the script. */
const bundled = ["preact", "d3-hierarchy"];

/** Builds into a folder, which is emptied before. Answers how large the script is. */
export async function buildConsole(
  outdir = join(repositoryRoot, "apps/runtime/dist/console"),
  { root = join(repositoryRoot, "apps/runtime/console") } = {},
) {
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const { warnings } = await build({
    absWorkingDir: root,
    entryPoints: { app: "main.tsx" },
    outdir,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome110", "firefox115", "safari16.4"],
    legalComments: "none",
    logLevel: "silent",
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  await build({
    absWorkingDir: root,
    entryPoints: { app: "style.css" },
    outdir,
    minify: true,
    logLevel: "silent",
  });
  for (const file of ["index.html", "icon.svg"]) copyFileSync(join(root, file), join(outdir, file));
  writeFileSync(join(outdir, "licenses.txt"), licenses(join(root, "main.tsx")));
  const script = readFileSync(join(outdir, "app.js"));
  return { gzip: gzipSync(script, { level: 9 }).length, minified: script.length };
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
  const problems = budgetProblems(await buildConsole());
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
