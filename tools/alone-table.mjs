// What somebody gets who installs one package, entry by entry: a table, and its gates. It reads the tarballs that
// `npm run pack:check` left in the packages, and packs those that are missing. `node tools/alone-table.mjs`
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { costLines, costProblems, mostStarts } from "./packed/cost-table.mjs";
import { bundleCost, companions, loadTimes } from "./packed/entry-costs.mjs";
import { packPackage, readTarball } from "./packed/tarball.mjs";
import { runProgram, Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const oldestCompiler = createRequire(import.meta.url).resolve("typescript-oldest/bin/tsc");

const workspace = workspaceOnDisk();
const blocks = workspace.packages.filter((pack) => pack.isBlock);
const specifiers = blocks.flatMap((pack) => pack.entries.map(({ subpath }) => specifierOf(pack, subpath)));
const project = mkdtempSync(join(tmpdir(), "basis-entries-"));
const steps = new Steps();
try {
  const laid = new Map(blocks.map((pack) => [pack.name, layOut(pack)]));
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await steps.run("require() without optional peers", requires);
  await steps.run("what each entry costs", () => costs(laid));
  await steps.run("the oldest supported TypeScript", typeChecks);
} finally {
  rmSync(project, { recursive: true, force: true });
}
steps.finish();

function requires() {
  const text = `for (const one of ${JSON.stringify(specifiers)}) require(one);\n`;
  writeFileSync(join(project, "requires.cjs"), text);
  return runProgram(process.execPath, ["requires.cjs"], { cwd: project, quiet: true });
}

function layOut(pack) {
  const left = join(workspace.root, pack.dir, "temp", "package.tgz");
  const { files, installedBytes } = readTarball(
    existsSync(left) ? left : packPackage(workspace, pack, project),
  );
  for (const { path, content } of files) {
    const target = join(project, "node_modules", pack.name, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const manifest = JSON.parse(files.find(({ path }) => path === "package.json")?.content.toString() ?? "{}");
  return { name: pack.name, manifest, installedBytes };
}

async function costs(laid) {
  const specifiers = blocks.flatMap((pack) => pack.entries.map(({ subpath }) => specifierOf(pack, subpath)));
  const times = loadTimes(project, specifiers, mostStarts);
  const found = [];
  for (const pack of blocks) {
    const { names, strangers } = companions(laid, pack.name);
    const installedBytes = [pack.name, ...names].reduce(
      (sum, name) => sum + laid.get(name).installedBytes,
      0,
    );
    for (const { subpath } of pack.entries) {
      const specifier = specifierOf(pack, subpath);
      const bundled = await bundleCost(project, specifier);
      found.push({
        specifier,
        installedBytes,
        packages: names.length,
        strangers,
        ...bundled,
        ...times.get(specifier),
      });
    }
  }
  process.stdout.write(`${costLines(found).join("\n")}\n`);
  return costProblems(found);
}

/** All entries at once; libraries are not skipped. That roots need no types of Node, `npm run pack:check` tries. */
function typeChecks() {
  const text = specifiers.map((one, index) => `export type Names${index} = keyof typeof import("${one}");\n`);
  writeFileSync(join(project, "entries.ts"), text.join(""));
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    lib: ["es2023", "esnext.disposable", "dom"],
    types: ["node"],
    typeRoots: [join(workspace.root, "node_modules", "@types")],
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["entries.ts"] }));
  return runProgram(process.execPath, [oldestCompiler], { cwd: project, quiet: true });
}

function specifierOf(pack, subpath) {
  return `${pack.name}${subpath.slice(1)}`;
}
