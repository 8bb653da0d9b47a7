// Which entries of a package are joined when it is packed, beside its root entry.

/**
 * @typedef {object} Joining
 * @property {string[]} roots Files below `dist`: what loads with them becomes one module.
 * @property {string[]} apart Files below `dist`: what loads with them stays as it is, since it must start without the rest.
 */

/** @type {Joining} */
const rootEntryAlone = { roots: ["index.js"], apart: [] };

const byPackage = new Map([
  // Its importer copies what answers into a workspace, where nothing else is.
  ["@basis/hook-dialects", { roots: ["index.js"], apart: ["kit/ask.js"] }],
  [
    "@basis/runtime",
    // Not the root entry: with it loads zod, which no run needs.
    { roots: ["cli/run/run-command.js"], apart: ["main.js", "cli/main-command.js"] },
  ],
]);

/** @param {string} name Of a package. @returns {Joining} */
export function joinedEntries(name) {
  return byPackage.get(name) ?? rootEntryAlone;
}
