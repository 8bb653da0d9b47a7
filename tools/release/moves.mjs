// Which packages a release moves: those that a changeset names, and those whose stated range the new version leaves.

/** The version from which every package starts in a rehearsal, whatever is pending. */
const settled = "0.1.0";

/** A manifest as it stands after a release of everything. @returns {string} */
export function settledManifest(manifest) {
  return `${JSON.stringify({ ...manifest, version: settled }, null, 2)}\n`;
}

/** The packages that are no longer at the version they started from. @returns {Map<string, string>} name → version */
export function movesOf(manifests) {
  return new Map(
    manifests.filter(({ version }) => version !== settled).map(({ name, version }) => [name, version]),
  );
}

/**
 * What a bump of `name` must move besides it. Below 1.0 a minor leaves the range `^0.1.0` and a patch stays in it; a
 * dependent moves by a patch, so nothing moves because of it. Development dependencies move nobody.
 * @returns {string[]} names
 */
export function trueDependents(manifests, { name, bump }) {
  if (bump === "patch") return [];
  return manifests.filter(({ dependencies = {} }) => name in dependencies).map((manifest) => manifest.name);
}

/**
 * @param {{ manifests: any[], moved: Map<string, string>, name: string, bump: string }} release
 * @returns {string[]} problems
 */
export function moveProblems({ manifests, moved, name, bump }) {
  const dependents = trueDependents(manifests, { name, bump });
  const expected = new Map([[name, bump === "patch" ? "0.1.1" : "0.2.0"]]);
  for (const dependent of dependents) expected.set(dependent, "0.1.1");
  const says = (version) => (version ? `moves to ${version}` : "stays");
  return [...new Set([...expected.keys(), ...moved.keys()])]
    .filter((one) => expected.get(one) !== moved.get(one))
    .map((one) => `${one} ${says(moved.get(one))} where it ${says(expected.get(one))} by its manifest`);
}
