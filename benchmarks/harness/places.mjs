import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** This folder. */
export const benchmarks = fileURLToPath(new URL("..", import.meta.url));

/** The repository. */
export const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Scratch space on the checkout's own disk (a memory file system would make every sync free); made and removed by a run. */
export const work = join(benchmarks, ".work");

/** Imports a built file of the repository: `packages/hooks/dist/index.js`. */
export function own(path) {
  return import(pathToFileURL(join(repository, path)).href);
}
