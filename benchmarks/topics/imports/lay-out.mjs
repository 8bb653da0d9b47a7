import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { benchmarks, own, repository } from "../../harness/places.mjs";

/** The blocks, by package name: whatever stands in `packages/` and is meant for a registry. */
export function blocks() {
  return readdirSync(join(repository, "packages"))
    .map((folder) => join(repository, "packages", folder))
    .filter((path) => existsSync(join(path, "package.json")))
    .map((path) => ({ path, manifest: JSON.parse(readFileSync(join(path, "package.json"), "utf8")) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ path, manifest }) => ({ path, name: manifest.name }));
}

/** Lays the blocks out as an install would, each root entry one module as in its tarball. @returns {Promise<string>} the project. */
export async function layOut(work) {
  return layOutPackages(work, { folder: "imports", packages: blocks() });
}

/** Lays the host out with the blocks, as an install of its tarball would. @returns {Promise<string>} its program. */
export async function layOutHost(work) {
  const name = "@basis/runtime";
  const host = { path: join(repository, "apps/runtime"), name };
  const project = await layOutPackages(work, { folder: "host", packages: [...blocks(), host] });
  return join(project, "node_modules", name, "dist/main.js");
}

async function layOutPackages(work, { folder, packages }) {
  const project = join(work, folder);
  const { bundleRoot } = await own("tools/packed/bundle-root.mjs");
  const { joinedEntries } = await own("tools/packed/joined-entries.mjs");
  const placed = packages.map(({ path, name }) => {
    const target = join(project, "node_modules", name);
    mkdirSync(target, { recursive: true });
    cpSync(join(path, "package.json"), join(target, "package.json"));
    cpSync(join(path, "dist"), join(target, "dist"), {
      recursive: true,
      filter: (from) => !/\.(d\.ts|map|tsbuildinfo)$/.test(from),
    });
    linkForeign(join(path, "node_modules"), join(target, "node_modules"));
    return { target, name };
  });
  for (const { target, name } of placed)
    await bundleRoot(join(target, "dist"), join(work, `${folder}-unbundled`, name), joinedEntries(name));
  return project;
}

/** What a package needs of others stays where it is installed; our own packages are the laid out ones. */
function linkForeign(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from))
    if (!/^\.|^@(?:basis|mobkit)$/.test(name)) symlinkSync(join(from, name), join(to, name));
}

/** The folder that peers are imported from. */
export const peerProject = benchmarks;
