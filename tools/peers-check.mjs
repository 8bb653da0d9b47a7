// The packed packages in one project, by plain npm: without any optional peer, with every one, and with wrong majors.
// It takes the tarballs that `npm run pack:check` left, and packs those that are missing. `node tools/peers-check.mjs`
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackage } from "./packed/tarball.mjs";
import { runProgram, Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const npmFlags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Folders of examples that show a framework, each run with what its users install. */
const frameworks = ["ai-sdk", "anthropic", "langchain", "mcp", "openai-agents"];

/** Of a peer whose range spans majors, the one that the examples are written for; its others run in the packages' tests. */
const chosen = new Map([["ai", "^6.0.0"]]);

/** What examples import beside peers. */
const others = ["zod@^4", "@langchain/langgraph@^1"];

/** Versions that do not serve: npm refuses each, naming the range. */
const wrong = [
  ["@anthropic-ai/sdk", "0.60.0"],
  ["ai", "4.3.19"],
  ["ajv", "6.12.6"],
  ["web-tree-sitter", "0.22.6"],
];

const workspace = workspaceOnDisk();
const compiler = join(workspace.root, "node_modules/typescript/bin/tsc");
const strict = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
strict.push("--types", "node", "--typeRoots", join(workspace.root, "node_modules/@types"));
const blocks = workspace.packages.filter((pack) => pack.isBlock);
const peers = new Map(blocks.flatMap((pack) => Object.entries(pack.manifest.peerDependencies ?? {})));
const folder = mkdtempSync(join(tmpdir(), "basis-peers-"));
const steps = new Steps();
try {
  const tarballs = blocks.map(tarballOf);
  const project = emptyProject("without", tarballs);
  const at = { cwd: project, quiet: true };
  await steps.run("installs without any optional peer", () => npm(["install"], at));
  copyFileSync(join(workspace.root, "tools/packed/told-peers.mjs"), join(project, "told-peers.mjs"));
  await steps.run("without them: every refusal names the package and its version", () =>
    runProgram(process.execPath, ["told-peers.mjs"], at),
  );
  for (const [name, version] of wrong)
    await steps.run(`${name}@${version}: npm refuses it, naming the range`, () => refused(name, version, at));
  // What a package loads by itself; the others are given by whoever uses them.
  const outdated = wrong.filter(([name]) => name === "ajv" || name === "web-tree-sitter");
  await steps.run("installed all the same: the refusal is as if they were not there", async () => [
    ...(await npm(["install", "--legacy-peer-deps", ...outdated.map((one) => one.join("@"))], at)),
    ...(await runProgram(process.execPath, ["told-peers.mjs"], at)),
  ]);
  await withPeers(emptyProject("with", tarballs));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
steps.finish();

function tarballOf(pack) {
  const left = join(workspace.root, pack.dir, "temp", "package.tgz");
  return existsSync(left) ? left : packPackage(workspace, pack, folder);
}

function emptyProject(name, tarballs) {
  const project = join(folder, name);
  mkdirSync(project);
  const dependencies = Object.fromEntries(blocks.map((pack, at) => [pack.name, `file:${tarballs[at]}`]));
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name, private: true, type: "module", dependencies }),
  );
  return project;
}

function npm(args, at) {
  return runProgram("npm", [...args, ...npmFlags], at);
}

async function refused(name, version, at) {
  const said = await npm(["install", "--dry-run", `${name}@${version}`], at);
  const range = peers.get(name);
  const isTold = said.some((line) => line.includes("peerOptional") && line.includes(`${name}@"${range}"`));
  return isTold ? [] : [`npm does not say that ${name} must be ${range}`, ...said.slice(-10)];
}

async function withPeers(project) {
  const at = { cwd: project, quiet: true };
  const wanted = [...peers].map(([name, range]) => `${name}@${chosen.get(name) ?? range}`);
  const installed = await steps.run("installs with every optional peer", () =>
    npm(["install", ...wanted, ...others], at),
  );
  if (!installed) return;
  // Its users write TypeScript, and paste it.
  copyFileSync(join(workspace.root, "examples/ai-sdk/guard-tools.mjs"), join(project, "first.mts"));
  await steps.run("the first snippet of the hooks README, as strict TypeScript", () =>
    runProgram(process.execPath, [compiler, ...strict, "first.mts"], at),
  );
  for (const name of frameworks)
    cpSync(join(workspace.root, "examples", name), join(project, name), { recursive: true });
  const examples = workspace.files.filter((path) =>
    frameworks.some((name) => path.startsWith(`examples/${name}/`)),
  );
  for (const path of examples
    .map((one) => one.slice("examples/".length))
    .filter((one) => one.split("/").length === 2))
    await steps.run(`with them: ${path}`, () => runProgram(process.execPath, [path], at));
}
