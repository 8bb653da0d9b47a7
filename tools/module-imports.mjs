// What a module imports, read from its syntax tree, so that comments and strings never count.
import { posix } from "node:path";
import { parseSync } from "vite";

/**
 * @typedef {object} ModuleImport
 * @property {string} specifier
 * @property {number} line
 * @property {boolean} typeOnly Erased by the compiler: `import type`, `export type`, `import("x").T`.
 * @property {boolean} dynamic `import("x")` as an expression: loaded when reached, not with the module.
 */

const cache = new Map();

/** @returns {ModuleImport[]} in the order of the text. */
export function importsOf(workspace, path) {
  const text = workspace.read(path);
  const known = cache.get(path);
  if (known?.text === text) return known.imports;
  const imports = importsInText(path, text);
  cache.set(path, { text, imports });
  return imports;
}

/** The same for a text; `path` tells the language. @returns {ModuleImport[]} */
export function importsInText(path, text) {
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const at = (start) => text.slice(0, start).split("\n").length;
  const erased = (start) => /^(?:import|export)\s+type\b/.test(text.slice(start, start + 40));
  const imports = module.staticImports.map(({ start, moduleRequest }) => ({
    specifier: moduleRequest.value,
    line: at(start),
    typeOnly: erased(start),
    dynamic: false,
  }));
  for (const { start, entries } of module.staticExports) {
    const specifier = entries.find((entry) => entry.moduleRequest)?.moduleRequest?.value;
    if (specifier !== undefined)
      imports.push({ specifier, line: at(start), typeOnly: erased(start), dynamic: false });
  }
  const expressions = new Set(module.dynamicImports.map(({ start }) => start));
  for (const { start, moduleRequest } of module.dynamicImports) {
    const literal = /^["'`]([^"'`$]+)["'`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1];
    if (literal) imports.push({ specifier: literal, line: at(start), typeOnly: false, dynamic: true });
  }
  imports.push(...importTypes(text, expressions).map(({ start, ...rest }) => ({ ...rest, line: at(start) })));
  return imports.toSorted((a, b) => a.line - b.line);
}

/** `import("x").T` in a type position; the parser lists only the expressions. */
function importTypes(text, expressions) {
  return [...text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)\s*\./g)]
    .filter((match) => !expressions.has(match.index) && !inComment(text, match.index))
    .map((match) => ({ specifier: match[1], start: match.index, typeOnly: true, dynamic: false }));
}

function inComment(text, index) {
  const line = text.slice(text.lastIndexOf("\n", index) + 1, index);
  return /^\s*(?:\/\/|\/?\*)/.test(line);
}

/** The file a relative import names, as a path below the root. */
export function resolveRelative(importer, specifier) {
  return posix.normalize(posix.join(posix.dirname(importer), specifier));
}

/** `@scope/name/sub` → `{ name: "@scope/name", subpath: "./sub" }`; a bare package has subpath `.`. */
export function splitSpecifier(specifier) {
  const parts = specifier.split("/");
  const length = specifier.startsWith("@") ? 2 : 1;
  const rest = parts.slice(length).join("/");
  return { name: parts.slice(0, length).join("/"), subpath: rest ? `./${rest}` : "." };
}
