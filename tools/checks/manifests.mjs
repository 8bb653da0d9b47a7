// Manifests: dependencies are what the sources import and what the arrows allow; the published exports are the developed ones.
import { importsOf, splitSpecifier } from "../module-imports.mjs";
import { sourcesOf } from "../workspace.mjs";
import { adapted, arrows } from "./arrows.mjs";

const bundleScript = "node ../../tools/packed/bundle-root.mjs";

/** @returns {string[]} */
export function manifestProblems(workspace) {
  return workspace.packages.flatMap((pack) => {
    const problems = [
      ...(pack.isBlock
        ? [...blockDependencies(workspace, pack), ...peers(workspace, pack), ...packing(pack)]
        : []),
      ...unusedDependencies(workspace, pack),
      ...(pack.isPublic ? publication(workspace, pack) : []),
    ];
    return problems.map((message) => `${pack.dir}/package.json ${message}`);
  });
}

/** A block depends on its arrows alone; anything else is an optional peer of one subpath. */
function blockDependencies(workspace, pack) {
  const allowed = arrows.get(pack.name) ?? [];
  const names = Object.keys(pack.manifest.dependencies ?? {});
  const ranges = names
    .filter((name) => allowed.includes(name) && pack.manifest.dependencies[name] !== "workspace:^")
    .map((name) => `asks for ${name} other than by "workspace:^"`);
  return [
    ...ranges,
    ...names
      .filter((name) => !allowed.includes(name) && !adapted.get(pack.name)?.includes(name))
      .map((name) => `depends on ${name}, which no arrow allows: make it an optional peer`),
  ];
}

/** In a tarball a root entry is one module (see tools/packed/bundle-root.mjs). */
function packing({ manifest }) {
  const scripts = manifest.scripts ?? {};
  const bundles = scripts.prepack === bundleScript && scripts.postpack === `${bundleScript} --restore`;
  return bundles ? [] : ["does not bundle its root entry around packing (prepack, postpack)"];
}

function peers(workspace, pack) {
  return Object.keys(pack.manifest.peerDependencies ?? {}).flatMap((name) => {
    const problems = [];
    if (pack.name === "@basis/core") problems.push(`has the peer ${name}: core has none`);
    if (workspace.packages.some((other) => other.name === name))
      problems.push(`has the workspace package ${name} as a peer`);
    if (pack.manifest.peerDependenciesMeta?.[name]?.optional !== true)
      problems.push(`has the peer ${name}, which is not optional`);
    return problems;
  });
}

/**
 * A declared dependency that no source imports. A file may also name it in a text, as loaders do, and a host
 * may provide the optional peer of a package it depends on.
 */
function unusedDependencies(workspace, pack) {
  const sources = sourcesOf(workspace, pack.dir);
  const imported = new Set(
    sources.flatMap((path) => importsOf(workspace, path)).map((one) => splitSpecifier(one.specifier).name),
  );
  const declared = Object.keys(pack.manifest.dependencies ?? {});
  const provided = workspace.packages
    .filter((other) => declared.includes(other.name))
    .flatMap((other) => Object.keys(other.manifest.peerDependencies ?? {}));
  const used = (name) =>
    imported.has(name) ||
    provided.includes(name) ||
    sources.some((path) => workspace.read(path).includes(`"${name}"`));
  return declared.filter((name) => !used(name)).map((name) => `depends on ${name}, which no source imports`);
}

/** What a registry is told: each rule with the words for a manifest that breaks it. */
const publicationRules = [
  {
    says: 'has no publishConfig.access "public"',
    holds: ({ publishConfig }) => publishConfig?.access === "public",
  },
  {
    says: "is not published with its provenance (publishConfig.provenance)",
    holds: ({ publishConfig }) => publishConfig?.provenance === true,
  },
  { says: 'is not "type": "module"', holds: ({ type }) => type === "module" },
  { says: 'is not "sideEffects": false', holds: ({ sideEffects }) => sideEffects === false },
  { says: 'has engines.node other than ">=20.19.0"', holds: ({ engines }) => engines?.node === ">=20.19.0" },
  { says: "is not under the MIT licence", holds: ({ license }) => license === "MIT" },
  { says: "has no description", holds: ({ description }) => Boolean(description) },
  {
    says: "has an install script",
    holds: ({ scripts = {} }) => !["preinstall", "install", "postinstall"].some((name) => scripts[name]),
  },
  {
    says: "lacks the scripts tarball and pack:check, which turbo runs",
    holds: ({ scripts }) => Boolean(scripts?.tarball && scripts["pack:check"]),
  },
  {
    says: "publishes other exports than it develops with",
    holds: ({ exports: developed = {}, publishConfig }) =>
      JSON.stringify(publishConfig?.exports ?? {}) === JSON.stringify(withoutSource(developed)),
  },
];

function publication(workspace, pack) {
  const broken = publicationRules.filter(({ holds }) => !holds(pack.manifest)).map(({ says }) => says);
  const needed = [`${pack.dir}/LICENSE`, ...pack.entries.map((entry) => entry.source)];
  const missing = needed.filter((path) => !workspace.files.includes(path));
  return [...broken, ...missing.map((path) => `needs ${path}, which does not exist`)];
}

function withoutSource(exportsMap) {
  return Object.fromEntries(
    Object.entries(exportsMap).map(([subpath, target]) => {
      if (typeof target !== "object") return [subpath, target];
      const { "@basis/source": _source, ...published } = target;
      return [subpath, published];
    }),
  );
}
