// Declaration files that no published entry leads to: nobody can name what they declare, so a tarball goes without them.
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { importsInText } from "../module-imports.mjs";

/**
 * The declaration files below `dist` that none of a package's published entries leads to.
 * @param {string} dist
 * @param {{ exports?: unknown, publishConfig?: { exports?: unknown } }} manifest
 * @param {string[]} paths the files below `dist`
 * @returns {string[]}
 */
export function unreachedTypes(dist, manifest, paths) {
  const reached = new Set();
  const visit = (path) => {
    if (reached.has(path) || !existsSync(join(dist, path))) return;
    reached.add(path);
    const text = readFileSync(join(dist, path), "utf8");
    const named = importsInText(path, text).map(({ specifier }) => specifier);
    const whole = [...text.matchAll(/\btypeof import\("([^"]+)"\)/g)].map(([, specifier]) => specifier);
    for (const specifier of [...named, ...whole])
      if (specifier.startsWith(".")) visit(typesOf(posix.join(posix.dirname(path), specifier)));
  };
  const published = JSON.stringify(manifest.publishConfig?.exports ?? manifest.exports ?? {});
  for (const [, path] of published.matchAll(/"\.\/dist\/([^"*]+)"/g)) visit(typesOf(path));
  return paths.filter((path) => path.endsWith(".d.ts") && !reached.has(path));
}

/** The declaration file of a module, however it is named. */
function typesOf(path) {
  return path.replace(/(?:\.d)?\.[jt]s$/, ".d.ts");
}
