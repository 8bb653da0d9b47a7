// The costs of entries as a table, and what they may be.
import { adapted } from "../checks/arrows.mjs";
import { budgetOf } from "../checks/root-entry-budgets.mjs";

/** In starts of a bare Node on the same machine: many times what is measured, so that a busy machine passes. */
export const mostStarts = 3;

/** In a tarball a root entry is one module, of which a bundler drops less than of many. */
const joinedRoom = 1.2;

/** @typedef {import("./entry-costs.mjs").EntryCost} EntryCost */

/** @param {EntryCost[]} costs @returns {string[]} the lines of a Markdown table. */
export function costLines(costs) {
  const rows = costs.map(({ specifier, installedBytes, packages, gzipBytes, ms, starts, outside }) => [
    `\`${specifier}\``,
    `${Math.round(installedBytes / 1000)} kB`,
    packages,
    `${(gzipBytes / 1000).toFixed(1)} kB`,
    `${ms.toFixed(0)} ms (${starts.toFixed(2)})`,
    outside.some((name) => name.startsWith("node:")) ? "Node" : "anywhere",
  ]);
  const head = ["entry", "installed", "packages with it", "gzip", "loads in (bare starts)", "runs on"];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
}

/** @param {EntryCost[]} costs @returns {string[]} */
export function costProblems(costs) {
  return costs.flatMap(({ specifier, strangers, gzipBytes, outside, starts }) => {
    const name = specifier.split("/").slice(0, 2).join("/");
    const unknown = strangers.filter((one) => !adapted.get(name)?.includes(one));
    const problems = unknown.map((one) => `brings ${one}, which is no package of this repository`);
    const foreign = outside.filter((one) => !one.startsWith("node:"));
    problems.push(...foreign.map((one) => `loads ${one} at once, which is not there without its peer`));
    if (specifier === name) {
      const budget = budgetOf(name).gzipBytes * joinedRoom;
      if (gzipBytes > budget) problems.push(`packs ${gzipBytes} bytes gzipped, at most ${budget}`);
      problems.push(...outside.filter((one) => !foreign.includes(one)).map((one) => `needs ${one}`));
    }
    if (starts > mostStarts)
      problems.push(`loads in ${starts.toFixed(1)} starts of a bare Node, at most ${mostStarts}`);
    return problems.map((problem) => `${specifier} ${problem}`);
  });
}
