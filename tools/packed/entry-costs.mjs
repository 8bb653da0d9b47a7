// What each entry of the packed packages costs, laid out beside each other and nothing else: no optional peer is there.
import { spawnSync } from "node:child_process";
import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/**
 * @typedef {object} EntryCost
 * @property {string} specifier `@basis/hooks/node`
 * @property {number} installedBytes The package's and those of the packages that come with it.
 * @property {number} packages How many come with it.
 * @property {string[]} strangers Dependencies that are no packages of this workspace.
 * @property {number} gzipBytes The entry with all that loads with it, minified and compressed; optional peers stay outside.
 * @property {string[]} outside What it imports at once and does not bring: Node's modules, peers.
 * @property {number} starts How long loading takes, in starts of a bare Node.
 * @property {number} ms The same in milliseconds.
 */

/** @typedef {{ name: string, manifest: any, installedBytes: number }} Laid A package as it was packed. */

/** The packages that come with one, itself left out; `strangers` are not among those that were laid out. */
export function companions(laid, name) {
  const found = new Set();
  const strangers = new Set();
  const visit = (one) => {
    for (const dependency of Object.keys(laid.get(one).manifest.dependencies ?? {})) {
      if (!laid.has(dependency)) strangers.add(dependency);
      else if (!found.has(dependency)) visit(found.add(dependency) && dependency);
    }
  };
  visit(name);
  return { names: [...found], strangers: [...strangers] };
}

/** @returns {Promise<{ gzipBytes: number, outside: string[] }>} of an entry bundled where no platform is known. */
export async function bundleCost(project, specifier) {
  const outside = new Set();
  const result = await build({
    absWorkingDir: project,
    stdin: { contents: `export * from ${JSON.stringify(specifier)};`, resolveDir: project },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    write: false,
    logLevel: "silent",
    plugins: [withOutside(outside)],
  });
  return { gzipBytes: gzipSync(result.outputFiles[0].contents, { level: 9 }).length, outside: [...outside] };
}

/** What is loaded lazily costs when it is used; Node's modules and what is not laid out stay imports, and are noted. */
function withOutside(outside) {
  return {
    name: "outside",
    setup({ onResolve, resolve }) {
      onResolve({ filter: /.*/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind === "dynamic-import") return { path, external: true };
        if (pluginData === "asked" || path.startsWith(".")) return undefined;
        const isNodes = path.startsWith("node:") || builtinModules.includes(path);
        const found = isNodes ? undefined : await resolve(path, { kind, resolveDir, pluginData: "asked" });
        if (found && found.errors.length === 0) return found;
        outside.add(path);
        return { path, external: true };
      });
    },
  };
}

/** Rounds of which the fastest counts, and how many more an entry gets that seems too slow. */
const rounds = 2;
const moreRounds = 8;

/**
 * Imports every entry in fresh processes, in interleaved rounds.
 * @param {number} enough An entry that takes more bare starts than this is measured again before it is believed.
 * @returns {Map<string, { ms: number, starts: number }>} the fastest of the rounds, less a bare start.
 */
export function loadTimes(project, specifiers, enough) {
  const bare = { specifier: "data:text/javascript,", ms: Infinity };
  const cases = specifiers.map((specifier) => ({ specifier, ms: Infinity }));
  const measure = (some) => {
    for (const one of [bare, ...some]) {
      const code = `import ${JSON.stringify(one.specifier)}`;
      one.ms = Math.min(one.ms, run(project, ["--input-type=module", "--eval", code]));
    }
  };
  for (let round = 0; round < rounds; round += 1) measure(cases);
  for (let round = 0; round < moreRounds; round += 1) {
    const slow = cases.filter(({ ms }) => ms - bare.ms > enough * bare.ms);
    if (slow.length > 0) measure(slow);
  }
  return new Map(
    cases.map(({ specifier, ms }) => {
      const added = Math.max(0, ms - bare.ms);
      return [specifier, { ms: added, starts: added / bare.ms }];
    }),
  );
}

function run(cwd, args) {
  const started = performance.now();
  const done = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${args.at(-1)} without optional peers: ${done.stderr}`);
  return performance.now() - started;
}
