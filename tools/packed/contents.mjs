// What is in a tarball: built files and their words, nothing of the workspace.

const allowed =
  /^(?:dist\/.+|package\.json|README\.md|CHANGELOG\.md|LICENSE|[a-z-]+\/.+\.(?:json|mjs|md|wasm))$/;
const needed = ["package.json", "README.md", "LICENSE"];

/** @returns {string[]} problems of one packed package. */
export function contentProblems({ files }) {
  const paths = files.map((file) => file.path);
  const strange = paths.filter(
    (path) =>
      !allowed.test(path) ||
      /(?:^|\/)test\/|\.tsbuildinfo$|\.test\./.test(path) ||
      /(?<!\.d)\.[cm]?tsx?$/.test(path),
  );
  const missing = needed.filter((path) => !paths.includes(path));
  const manifest = files.find((file) => file.path === "package.json");
  return [
    ...strange.map((path) => `packs ${path}`),
    ...missing.map((path) => `does not pack ${path}`),
    ...(manifest ? manifestProblems(manifest.text(), paths) : []),
  ];
}

function manifestProblems(text, paths) {
  const problems = [];
  if (text.includes("@basis/source")) problems.push("publishes the development condition @basis/source");
  if (/"(?:workspace|file|link):/.test(text)) problems.push("publishes a dependency by workspace path");
  const targets = [...text.matchAll(/"\.\/((?:dist\/)[^"*]+)"/g)].map(([, path]) => path);
  return [
    ...problems,
    ...targets.filter((path) => !paths.includes(path)).map((path) => `names ${path} and does not pack it`),
  ];
}
