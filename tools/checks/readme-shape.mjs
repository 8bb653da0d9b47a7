// READMEs of packages: the parts a reader may count on, and a quick start short enough to read.

const quickStartLines = 25;
const parts = [
  { name: "a numbers block", pattern: /<!-- numbers -->[\s\S]*<!-- \/numbers -->/ },
  { name: "an install section", pattern: /^#+ .*\binstall/im },
  { name: "a quick start", pattern: /^#+ .*\bquick start/im },
  { name: "a section on failures", pattern: /^#+ .*\bfail/im },
  { name: "a section on binding it to a host", pattern: /^#+ .*\bhost/im },
  { name: "a table of errors", pattern: /^#+ .*\berrors?\b/im },
  { name: "a section on what it does not do", pattern: /^#+ .*\b(?:does not|doesn't|not)\b/im },
];

/** @returns {string[]} */
export function readmeProblems(workspace) {
  return workspace.packages
    .filter((pack) => pack.isBlock)
    .flatMap((pack) => {
      const path = `${pack.dir}/README.md`;
      if (!workspace.files.includes(path)) return [`${path} is missing`];
      const text = workspace.read(path);
      const problems = parts
        .filter(({ pattern }) => !pattern.test(text))
        .map(({ name }) => `${path} lacks ${name}`);
      if (!text.startsWith(`# ${pack.name}\n`)) problems.push(`${path} does not begin with "# ${pack.name}"`);
      return [...problems, ...quickStartProblems(workspace, pack, text)];
    });
}

function quickStartProblems(workspace, pack, text) {
  const example = `examples/${pack.dir.split("/")[1]}/quick-start.mjs`;
  if (!workspace.files.includes(example)) return [`${example} is missing`];
  const problems = [];
  if (!text.includes(`<!-- snippet: ${example} -->`))
    problems.push(`${pack.dir}/README.md does not embed ${example}`);
  const lines = workspace.read(example).trimEnd().split("\n").length;
  if (lines > quickStartLines) problems.push(`${example} has ${lines} lines, at most ${quickStartLines}`);
  return problems;
}
