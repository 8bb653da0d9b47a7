// Text that must not be tracked: paths of one machine, registry hosts, unfinished work, switched-off checks.
import { homedir, tmpdir } from "node:os";

const word = (text) => new RegExp(`\\b${text}\\b`);

/** Patterns are built from pieces, so that this file does not match itself. */
const everywhere = [
  { pattern: word(["TO", "DO"].join("")), says: "leaves work undone: finish it or file an issue" },
  { pattern: word(["FIX", "ME"].join("")), says: "leaves work undone: finish it or file an issue" },
  { pattern: word(["X", "XX"].join("")), says: "leaves work undone: finish it or file an issue" },
  { pattern: /\bregistry\.[a-z0-9-]+\.[a-z]{2,}/, says: "names a registry host" },
  { pattern: /\btarball:\s*['"]?https?:/, says: "names a registry host" },
];

const inSources = [
  { pattern: /@ts-(?:ignore|nocheck)\b/, says: "switches the compiler off" },
  { pattern: /\b(?:eslint|oxlint)-disable/, says: "switches the linter off" },
  { pattern: /\b(?:it|test|describe)\.(?:skip|only|todo)\(/, says: "skips tests" },
  {
    pattern: /\bvi\.(?:mock|doMock|hoisted)\(/,
    says: "mocks a module: give the port a real in-memory implementation",
  },
];

const source = /\.[cm]?[jt]sx?$/;
const binary = /\.(png|jpe?g|gif|ico|wasm|tgz|sqlite|gguf|woff2?)$/;

/** @returns {string[]} */
export function trackedTextProblems(workspace, environment = process.env) {
  const everyFile = [...everywhere, ...machinePatterns(workspace.root, environment)];
  return workspace.files
    .filter((path) => !binary.test(path))
    .flatMap((path) => {
      const rules = source.test(path) ? [...everyFile, ...inSources] : everyFile;
      const lines = workspace.read(path).split("\n");
      return rules.flatMap(({ pattern, says }) => {
        const line = lines.findIndex((text) => pattern.test(text));
        return line === -1 ? [] : [`${path}:${line + 1} ${says}`];
      });
    });
}

/** This checkout's folder, this user's home and the registry in use, as far as they are specific enough to look for. */
function machinePatterns(root, environment) {
  const home = environment.HOME ?? homedir();
  const folders = [root, home, ["", "root"].join("/")].filter(
    (folder) => folder.length > 4 && !tmpdir().startsWith(folder),
  );
  const patterns = [...new Set(folders)].map((folder) => ({
    pattern: new RegExp(`(?<![\\w./-])${escape(folder)}/${isShort(folder) ? "[.]" : ""}`),
    says: `names a folder of one machine`,
  }));
  const host = registryHost(environment.npm_config_registry);
  if (host) patterns.push({ pattern: new RegExp(escape(host)), says: "names a registry host" });
  return patterns;
}

/** One segment is also how a JSON pointer begins; then only a hidden file below it tells a home. */
function isShort(folder) {
  return folder.lastIndexOf("/") === 0;
}

function registryHost(url) {
  const host = url && URL.canParse(url) ? new URL(url).hostname : undefined;
  return host && host !== "localhost" && /[a-z]/.test(host) ? host : undefined;
}

function escape(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
