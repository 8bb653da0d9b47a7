// Layering: every import between packages follows an arrow, ends at a published entry, and stays inside its own package otherwise.
import { isBuiltin } from "node:module";
import { importsOf, resolveRelative, splitSpecifier } from "../module-imports.mjs";
import { sourcesOf } from "../workspace.mjs";
import { arrows, blocksPerHostFile, composers, testArrows } from "./arrows.mjs";

/** @returns {string[]} one problem a line, `path:line message`. */
export function layeringProblems(workspace) {
  return [
    ...workspace.packages.flatMap((pack) => packageProblems(workspace, pack)),
    ...exampleProblems(workspace),
  ];
}

function packageProblems(workspace, pack) {
  if (!arrows.has(pack.name)) return [`${pack.dir}/package.json ${pack.name} has no line in the arrow table`];
  const files = sourcesOf(workspace, pack.dir, { tests: true });
  return files.flatMap((path) => {
    const inTest = path.startsWith(`${pack.dir}/test/`);
    const imports = importsOf(workspace, path);
    const context = { workspace, pack, path, inTest };
    return [...imports.flatMap((one) => importProblems(context, one)), ...bindingProblems(context, imports)];
  });
}

function importProblems(context, { specifier, line }) {
  const message = specifier.startsWith(".")
    ? relativeProblem(context, specifier)
    : packageProblem(context, specifier);
  return message ? [`${context.path}:${line} ${message}`] : [];
}

function relativeProblem({ pack, path, inTest }, specifier) {
  const target = resolveRelative(path, specifier);
  if (!target.startsWith(`${pack.dir}/`))
    return `"${specifier}" leaves ${pack.dir}: import it by package name`;
  if (target.startsWith(`${pack.dir}/dist/`)) return `"${specifier}" reads built files`;
  if (!inTest && !target.startsWith(`${pack.dir}/src/`)) return `"${specifier}" leaves src`;
  return undefined;
}

function packageProblem({ workspace, pack, inTest }, specifier) {
  if (specifier.startsWith("node:")) return undefined;
  if (isBuiltin(specifier)) return `"${specifier}" is a Node module: write "node:${specifier}"`;
  const { name, subpath } = splitSpecifier(specifier);
  const target = workspace.packages.find((other) => other.name === name);
  if (!target) return foreignProblem({ workspace, pack, inTest }, name);
  if (name === pack.name)
    return inTest ? deepProblem(target, subpath) : `"${specifier}" imports its own package`;
  if (!allowedFrom(pack.name, inTest).includes(name)) return `no arrow leads from ${pack.name} to ${name}`;
  return deepProblem(target, subpath);
}

function allowedFrom(name, inTest) {
  const own = arrows.get(name) ?? [];
  return inTest ? [...own, ...(testArrows.get(name) ?? [])] : own;
}

function deepProblem(target, subpath) {
  return Object.hasOwn(target.manifest.exports ?? {}, subpath)
    ? undefined
    : `"${target.name}${subpath.slice(1)}" is not an entry of ${target.name}`;
}

function foreignProblem({ workspace, pack, inTest }, name) {
  const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = pack.manifest;
  const declared = { ...dependencies, ...peerDependencies };
  if (Object.hasOwn(declared, name)) return undefined;
  if (!inTest) return `"${name}" is no dependency of ${pack.name}`;
  const forTests = { ...devDependencies, ...rootManifest(workspace).devDependencies };
  return Object.hasOwn(forTests, name) ? undefined : `"${name}" is no devDependency of ${pack.name}`;
}

function rootManifest(workspace) {
  return workspace.files.includes("package.json") ? JSON.parse(workspace.read("package.json")) : {};
}

/** Only the composing files of a host may load many blocks. */
function bindingProblems({ workspace, pack, path, inTest }, imports) {
  if (!pack.dir.startsWith("apps/") || inTest || composers.some((pattern) => pattern.test(path))) return [];
  const blocks = workspace.packages.filter((other) => other.isBlock && other.name !== "@basis/core");
  const loaded = blocks
    .map((block) => block.name)
    .filter((name) => imports.some((one) => !one.typeOnly && splitSpecifier(one.specifier).name === name));
  if (loaded.length <= blocksPerHostFile) return [];
  return [
    `${path}:1 loads ${loaded.length} blocks (${loaded.join(", ")}): only the composing files bind blocks`,
  ];
}

/** An example that bears a package's name imports that package and what it brings; others show several together. */
function exampleProblems(workspace) {
  const files = workspace.files.filter((path) => /^examples\/[^/]+\/.+\.m?[jt]s$/.test(path));
  return files.flatMap((path) => {
    const folder = path.split("/")[1];
    const owner = workspace.packages.find((pack) => pack.dir === `packages/${folder}`);
    return importsOf(workspace, path).flatMap(({ specifier, line }) => {
      if (specifier.startsWith("node:") || specifier.startsWith("./")) return [];
      const message = exampleProblem(workspace, owner, specifier);
      return message ? [`${path}:${line} ${message}`] : [];
    });
  });
}

function exampleProblem(workspace, owner, specifier) {
  const { name, subpath } = splitSpecifier(specifier);
  const target = workspace.packages.find((pack) => pack.name === name);
  const peers = Object.keys(owner?.manifest.peerDependencies ?? {});
  if (!target)
    return owner && !peers.includes(name) ? `"${name}" does not come with ${owner.name}` : undefined;
  const allowed = owner === undefined || name === owner.name || (arrows.get(owner.name) ?? []).includes(name);
  return allowed ? deepProblem(target, subpath) : `${name} does not come with ${owner.name}`;
}
