import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
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
  const project = join(work, "imports");
  const { bundleRoot } = await own("tools/packed/bundle-root.mjs");
  const placed = blocks().map(({ path, name }) => {
    const target = join(project, "node_modules", name);
    mkdirSync(target, { recursive: true });
    cpSync(join(path, "package.json"), join(target, "package.json"));
    cpSync(join(path, "dist"), join(target, "dist"), {
      recursive: true,
      filter: (from) => !/\.(d\.ts|map|tsbuildinfo)$/.test(from),
    });
    return { target, name };
  });
  for (const { target, name } of placed)
    await bundleRoot(join(target, "dist"), join(work, "unbundled", name));
  return project;
}

/** The folder that peers are imported from. */
export const peerProject = benchmarks;
