// Sizes: a file over its limit holds a concept that lacks a name.

const limits = [
  { pattern: /(^|\/)CHANGELOG\.md$/, lines: Infinity },
  { pattern: /^etc\//, lines: Infinity },
  { pattern: /(^|\/)(README|ARCHITECTURE|CONTRIBUTING)\.md$/, lines: 200 },
  { pattern: /^docs\/adr\/.*\.md$/, lines: 80 },
  { pattern: /\.([cm]?[jt]sx?|sh)$/, lines: 250 },
  { pattern: /^\.ci\/[^.]+$/, lines: 250 },
];

/** @returns {string[]} */
export function fileSizeProblems(workspace) {
  return workspace.files.flatMap((path) => {
    const limit = limits.find(({ pattern }) => pattern.test(path))?.lines ?? Infinity;
    if (limit === Infinity) return [];
    const lines = countLines(workspace.read(path));
    return lines > limit ? [`${path} has ${lines} lines, at most ${limit}`] : [];
  });
}

function countLines(text) {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
