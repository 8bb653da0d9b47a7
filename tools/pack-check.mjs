// What a registry would get: contents, publint, attw, the README's stated size, and each block alone in an empty project.
// `node tools/pack-check.mjs [PACKAGE…]`; `.` is the package in the current folder. Without arguments: every public package.
// `--packed` takes the tarballs that `tools/pack.mjs` left in the packages, as turbo runs it.
// `--write` rewrites the lists in etc/tarballs and checks nothing else.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { sizeProblems, siblingsOf } from "./checks/readme-numbers.mjs";
import { rootModuleLimit } from "./checks/root-entry-budgets.mjs";
import { aloneProblems, hostProblems } from "./packed/alone.mjs";
import { contentProblems, rootModules } from "./packed/contents.mjs";
import { listPath, listText, originProblems } from "./packed/file-list.mjs";
import { packPackage, readTarball } from "./packed/tarball.mjs";
import { runProgram, Steps } from "./steps.mjs";
import { repositoryRoot, workspaceOnDisk } from "./workspace.mjs";

const workspace = workspaceOnDisk();
const here = relative(repositoryRoot, process.cwd()).replaceAll("\\", "/");
const packed = process.argv.includes("--packed");
const writeOnly = process.argv.includes("--write");
const wanted = new Set(process.argv.slice(2).filter((arg) => !arg.startsWith("--")));
const chosen = workspace.packages.filter(
  (pack) =>
    pack.isPublic && (wanted.size === 0 || wanted.has(pack.name) || (wanted.has(".") && pack.dir === here)),
);

const folder = mkdtempSync(join(tmpdir(), "basis-packs-"));
const steps = new Steps();
const tarballs = new Map();
try {
  for (const pack of chosen) await checkPackage(pack);
  if (chosen.length === 0) steps.failed.push("no public package was named");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
steps.finish();

async function checkPackage(pack) {
  const tarball = tarballOf(pack);
  if (writeOnly) return writeList(pack, tarball);
  await steps.run(`${pack.name}: contents`, () => contentsOf(pack, tarball));
  await steps.run(`${pack.name}: publint`, () => lintTarball(tarball));
  await steps.run(`${pack.name}: attw`, () =>
    runProgram("attw", [tarball, "--profile", "esm-only", "--no-definitely-typed", "--no-emoji"], {
      quiet: true,
    }),
  );
  const trial = pack.isBlock ? aloneProblems : hostProblems;
  await steps.run(`${pack.name}: alone`, () =>
    trial({
      workspace,
      pack,
      tarballs: [pack, ...siblingsOf(workspace, pack)].map(tarballOf),
      project: join(folder, pack.dir),
    }),
  );
}

function tarballOf(pack) {
  if (packed) return join(workspace.root, pack.dir, "temp", "package.tgz");
  if (!tarballs.has(pack.name)) tarballs.set(pack.name, packPackage(workspace, pack, folder));
  return tarballs.get(pack.name);
}

function writeList(pack, tarball) {
  const path = join(workspace.root, listPath(pack));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, listText(readTarball(tarball)));
  process.stdout.write(`wrote ${listPath(pack)}\n`);
}

function contentsOf(pack, tarball) {
  const contents = readTarball(tarball);
  const readme = `${pack.dir}/README.md`;
  const sizes =
    pack.isBlock && workspace.files.includes(readme)
      ? sizeProblems(pack, workspace.read(readme), contents.installedBytes)
      : [];
  const modules = pack.isBlock ? rootModules(contents.files).length : 0;
  const many =
    modules > rootModuleLimit ? [`its root entry loads ${modules} modules, at most ${rootModuleLimit}`] : [];
  return [...contentProblems(contents), ...originProblems(workspace, pack, contents), ...sizes, ...many];
}

async function lintTarball(tarball) {
  const bytes = readFileSync(tarball);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  return messages
    .filter(({ type }) => type !== "suggestion")
    .map((message) => formatMessage(message, pkg) ?? message.code);
}
