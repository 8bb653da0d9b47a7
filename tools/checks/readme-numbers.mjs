// The numbers in a README: what is installed, what it depends on, how long it takes to load. Measured, never typed.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importTimes } from "../import-time.mjs";
import { installPacked } from "../packed/tarball.mjs";

const block = /<!-- numbers -->\n[\s\S]*?<!-- \/numbers -->/;
const line =
  /^Installed (\d+) kB( \(with its siblings (\d+) kB\))? · ([^·\n]+) · loads in (\d+) ms on Node (\d+)$/m;

/** What must hold on every machine: the block has the measured form, and its dependencies are the manifest's. @returns {string[]} */
export function numberProblems(workspace) {
  return withReadme(workspace).flatMap(({ pack, path, text }) => {
    const found = line.exec(block.exec(text)?.[0] ?? "");
    if (!found) return [`${path} has no measured numbers: run npm run check -- --write`];
    const says = dependencyPhrase(pack);
    return found[4] === says ? [] : [`${path} says "${found[4]}" where its manifest says "${says}"`];
  });
}

/** The size that a README states may differ from the tarball's by a tenth. @returns {string[]} */
export function sizeProblems(pack, readme, installedBytes) {
  const found = line.exec(block.exec(readme)?.[0] ?? "");
  if (!found) return [`${pack.dir}/README.md states no measured size`];
  const off = Math.abs(Number(found[1]) * 1000 - installedBytes) / installedBytes;
  return off <= 0.1
    ? []
    : [`${pack.dir}/README.md states ${found[1]} kB where ${kilobytes(installedBytes)} kB are installed`];
}

/** Measures and rewrites every block. @returns {Promise<string[]>} the files changed. */
export async function writeNumbers(workspace) {
  const blocks = workspace.packages.filter((pack) => pack.isBlock);
  const project = mkdtempSync(join(tmpdir(), "basis-numbers-"));
  try {
    const bytes = installPacked(workspace, blocks, project);
    const times = importTimes(
      project,
      blocks.map((pack) => pack.name),
    );
    return withReadme(workspace)
      .filter((readme) => rewrite(workspace, readme, { bytes, times }))
      .map(({ path }) => path);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

function rewrite(workspace, { pack, path, text }, { bytes, times }) {
  const siblings = siblingsOf(workspace, pack);
  const all = [pack, ...siblings].reduce((sum, one) => sum + bytes.get(one.name), 0);
  const withSiblings = siblings.length > 0 ? ` (with its siblings ${kilobytes(all)} kB)` : "";
  const size = `Installed ${kilobytes(bytes.get(pack.name))} kB${withSiblings}`;
  const loads = `loads in ${Math.ceil(times.get(pack.name))} ms on Node ${process.versions.node.split(".")[0]}`;
  const body = `${size} · ${dependencyPhrase(pack)} · ${loads}`;
  const fresh = text.replace(block, () => `<!-- numbers -->\n${body}\n<!-- /numbers -->`);
  if (fresh !== text) writeFileSync(join(workspace.root, path), fresh);
  return fresh !== text;
}

/** The packages of this workspace that come with a package, transitively. */
export function siblingsOf(workspace, pack) {
  const found = new Map();
  const visit = (one) => {
    for (const name of Object.keys(one.manifest.dependencies ?? {})) {
      const sibling = workspace.packages.find((other) => other.name === name);
      if (!sibling || found.has(name)) continue;
      found.set(name, sibling);
      visit(sibling);
    }
  };
  visit(pack);
  return [...found.values()];
}

function dependencyPhrase(pack) {
  const names = Object.keys(pack.manifest.dependencies ?? {});
  const peers = Object.keys(pack.manifest.peerDependencies ?? {});
  const needs = names.length === 0 ? "no dependencies" : `depends on ${names.join(" and ")} alone`;
  return peers.length === 0 ? needs : `${needs}, optional: ${peers.join(", ")}`;
}

function kilobytes(bytes) {
  return Math.round(bytes / 1000);
}

function withReadme(workspace) {
  return workspace.packages
    .filter((pack) => pack.isBlock && workspace.files.includes(`${pack.dir}/README.md`))
    .map((pack) => ({ pack, path: `${pack.dir}/README.md`, text: workspace.read(`${pack.dir}/README.md`) }));
}
