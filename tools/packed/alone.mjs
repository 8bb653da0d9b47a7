// A package on its own: in an empty project, with plain npm, it installs, loads, runs its quick start and type-checks.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withDatabase } from "../example-database.mjs";
import { runProgram } from "../steps.mjs";
import { serverProblems } from "./host-servers.mjs";
import { newcomerProblems } from "./newcomer.mjs";

const npmFlags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/**
 * @param {object} options
 * @param {any} options.workspace
 * @param {any} options.pack The package to try.
 * @param {string[]} options.tarballs Its own tarball and its siblings'.
 * @param {string} options.project An empty folder.
 * @returns {Promise<string[]>} problems; the first failing stage ends the trial.
 */
export async function aloneProblems({ workspace, pack, tarballs, project }) {
  mkdirSync(project, { recursive: true });
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "alone", private: true, type: "module" }),
  );
  const at = { cwd: project, quiet: true };
  const peers = statedPeers(workspace, pack);
  const stages = [
    { stage: "installs", work: () => runProgram("npm", ["install", ...npmFlags, ...tarballs], at) },
    { stage: "loads by require()", work: () => node(at, "require.cjs", requires(pack)) },
    ...(peers.length > 0
      ? [
          {
            stage: "installs with its peers",
            work: () => runProgram("npm", ["install", ...npmFlags, ...peers], at),
          },
        ]
      : []),
    { stage: "loads every entry", work: async () => node(at, "entries.mjs", await imports(workspace, pack)) },
    { stage: "runs its quick start", work: () => quickStart(workspace, pack, at) },
    { stage: "type-checks", work: () => typeCheck(workspace, pack, at) },
  ];
  for (const { stage, work } of stages) {
    const problems = await work();
    if (problems.length > 0) return [`${pack.name} ${stage}: failed`, ...problems.slice(-15)];
  }
  return [];
}

/** A host on its own: in an empty project, with plain npm, it installs, and a newcomer gets on with it. @returns {Promise<string[]>} */
export async function hostProblems({ workspace, pack, tarballs, project }) {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "alone", private: true }));
  const at = { cwd: project, quiet: true };
  const installed = await runProgram("npm", ["install", ...npmFlags, ...tarballs], at);
  if (installed.length > 0) return [`${pack.name} installs: failed`, ...installed.slice(-15)];
  const types = await checkTypes(specifiers(pack), at, { name: "entries", ...nodeTypes(workspace) });
  if (types.length > 0) return [`${pack.name} type-checks: failed`, ...types.slice(-15)];
  const programs = Object.keys(pack.manifest.bin ?? {}).map((name) =>
    join(project, "node_modules", ".bin", name),
  );
  for (const program of programs) {
    const problems = await newcomerProblems(program, join(project, "newcomer"));
    if (problems.length > 0) return problems;
    const broken = await serverProblems(program, join(project, "servers"));
    if (broken.length > 0) return broken;
  }
  return [];
}

/** The optional peers that the README tells a user to install, each at the range of the manifest. */
export function statedPeers(workspace, pack) {
  const readme = `${pack.dir}/README.md`;
  if (!workspace.files.includes(readme)) return [];
  const commands = [...workspace.read(readme).matchAll(/^\s*(?:\$ )?npm (?:i|install|add) (.+)$/gm)];
  const words = new Set(commands.flatMap(([, rest]) => rest.split(/\s+/)));
  return Object.entries(pack.manifest.peerDependencies ?? {})
    .filter(([name]) => words.has(name))
    .map(([name, range]) => `${name}@${range}`);
}

function node(at, file, text) {
  writeFileSync(join(at.cwd, file), text);
  return runProgram(process.execPath, [file], at);
}

function requires(pack) {
  const name = JSON.stringify(pack.name);
  return `if (Object.keys(require(${name})).length === 0) throw new Error(${name} + " exports nothing");\n`;
}

function specifiers(pack) {
  return pack.entries.map(({ subpath }) => `${pack.name}${subpath.slice(1)}`);
}

/** Imports every entry, and compares what functions and classes are called with the workspace's own build. */
async function imports(workspace, pack) {
  const lines = pack.entries.map(async ({ subpath, source }) => {
    const file = join(workspace.root, source.replace("/src/", "/dist/").replace(/\.ts$/, ".js"));
    const [specifier, names] = [
      `${pack.name}${subpath.slice(1)}`,
      namesOf(await import(pathToFileURL(file).href)),
    ];
    return `check(${JSON.stringify(specifier)}, ${JSON.stringify(names)}, await import(${JSON.stringify(specifier)}));\n`;
  });
  return `${String(namesOf)}\n${checkNames}\n${(await Promise.all(lines)).join("")}`;
}

function namesOf(entry) {
  return Object.keys(entry)
    .toSorted()
    .map((key) => `${key}: ${typeof entry[key] === "function" ? entry[key].name : typeof entry[key]}`)
    .join(", ");
}

const checkNames = `function check(specifier, expected, entry) {
  if (namesOf(entry) !== expected) throw new Error(specifier + " exports " + namesOf(entry) + "; expected " + expected);
}`;

function quickStart(workspace, pack, at) {
  const example = `examples/${pack.dir.split("/")[1]}/quick-start.mjs`;
  if (!workspace.files.includes(example)) return [`${example} is missing`];
  copyFileSync(join(workspace.root, example), join(at.cwd, "quick-start.mjs"));
  return withDatabase(example, () => runProgram(process.execPath, ["quick-start.mjs"], at));
}

/** The root entry runs anywhere, so it is checked without Node's types; the other entries with them. */
async function typeCheck(workspace, pack, at) {
  const [root, ...others] = specifiers(pack);
  const lib = ["es2023", "esnext.disposable", "dom"];
  const problems = await checkTypes([root], at, { name: "root-entry", types: [], lib });
  if (problems.length > 0 || others.length === 0) return problems;
  return checkTypes(others, at, { name: "other-entries", ...nodeTypes(workspace) });
}

/** No library is skipped: what an entry's types reach must be installed with it. */
function checkTypes(entries, at, { name, ...more }) {
  const text = entries.map((one, index) => `export type Names${index} = keyof typeof import("${one}");\n`);
  writeFileSync(join(at.cwd, `${name}.ts`), text.join(""));
  const compiler = { module: "nodenext", target: "es2023", strict: true, noEmit: true, skipLibCheck: false };
  const config = { compilerOptions: { ...compiler, ...more }, files: [`${name}.ts`] };
  writeFileSync(join(at.cwd, `${name}.json`), JSON.stringify(config));
  return runProgram("tsc", ["--project", `${name}.json`], at);
}

function nodeTypes(workspace) {
  return { types: ["node"], typeRoots: [join(workspace.root, "node_modules", "@types")] };
}
