import { isAbsolute, relative, sep } from "node:path";

/** True when an absolute path is the directory itself or lies below it. Compares texts; follows no links. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
