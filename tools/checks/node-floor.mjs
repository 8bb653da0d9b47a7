// Names that Node 20.19 does not have, or has only behind a check of the version.

const banned = [
  { pattern: /\bPromise\.(?:withResolvers|try)\b/, says: "is newer than Node 20" },
  { pattern: /\bArray\.fromAsync\b/, says: "is newer than Node 20" },
  { pattern: /\b(?:Object|Map)\.groupBy\b/, says: "is newer than Node 20" },
  { pattern: /\b(?:RegExp\.escape|Error\.isError|Iterator\.from)\b/, says: "is newer than Node 20" },
  {
    pattern: /\.(?:symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(/,
    says: "is newer than Node 20",
  },
  { pattern: /(?<!\bz)\.(?:union|intersection|difference)\(/, says: "is a Set method newer than Node 20" },
];

const anySignal = /\bAbortSignal\.any\(/;
const sqliteImport = /\b(?:from|import)\s*\(?\s*["']node:sqlite["']/;
const sqliteName = /["'`]node:sqlite["'`]/;

/** @returns {string[]} */
export function nodeFloorProblems(workspace) {
  const files = workspace.files.filter((path) => /\.[cm]?[jt]sx?$/.test(path));
  return files.flatMap((path) => {
    const text = workspace.read(path);
    const lines = text.split("\n").map((line) => line.replace(/^\s*(?:\/\/|\/?\*).*$/, ""));
    const find = (pattern, says) =>
      lines.flatMap((line, index) => {
        const found = pattern.exec(line);
        return found ? [`${path}:${index + 1} ${found[0]} ${says}`] : [];
      });
    return [
      ...banned.flatMap(({ pattern, says }) => find(pattern, says)),
      ...(isLibrary(path)
        ? find(anySignal, "keeps listeners of a long-lived signal: join with core's joinSignals")
        : []),
      ...sqliteProblems(path, text, find),
    ];
  });
}

/** Node 20 has no node:sqlite: never a static import, and a lazy one only beside a look at the version. */
function sqliteProblems(path, text, find) {
  if (/^import(?!\s+type)[^;]*["']node:sqlite["']/m.test(text))
    return find(sqliteImport, "loads on Node 20 too, which lacks it");
  const checked = /process\.versions|process\.version\b|isBuiltin\(|builtinModules/.test(text);
  return !checked && isLibrary(path) ? find(sqliteName, "is used without a look at the version") : [];
}

function isLibrary(path) {
  return /^(?:packages|apps)\/[^/]+\/src\//.test(path);
}
