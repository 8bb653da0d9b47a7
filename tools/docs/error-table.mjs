// Every error of every package: the codes are those of the sources, the words those of the package's README.

const details = /^export (?:interface|type) (\w+Error)Details(?: extends [^{]+)?(?: =)? \{\n([\s\S]*?)^\}/gm;
const member = /(?:^ {2}\/\*\*([^]*?)\*\/\n)?^ {2}(?:readonly )?(\w+)\??:/gm;

/** @typedef {{ error: string, code: string, when: string, advice: string }} ErrorRow */

/** The page as Markdown. @returns {string} */
export function errorPage(workspace) {
  const parts = workspace.packages
    .filter((pack) => pack.isBlock)
    .map((pack) => ({ pack, rows: errorRows(workspace, pack) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ pack, rows }) => {
      const lines = rows.map(
        ({ error, code, when, advice }) => `| \`${code}\` | \`${error}\` | ${when} | ${advice} |`,
      );
      return `## ${pack.name}\n\n| code | error | when | what to do |\n|---|---|---|---|\n${lines.join("\n")}\n`;
    });
  return `# Errors\n\nAn expected answer is a value; inability is thrown, as the one error class of a package with a closed set of codes.\nA code is kept as [VERSIONING.md](../VERSIONING.md) says; the words of a message are not.\n\n${parts.join("\n")}`;
}

/** @returns {ErrorRow[]} in the order of the sources. */
export function errorRows(workspace, pack) {
  const words = readmeWords(workspace, pack);
  return workspace.files
    .filter((path) => path.startsWith(`${pack.dir}/src/`) && path.endsWith("-error.ts"))
    .flatMap((path) => codesIn(workspace.read(path)))
    .map(({ error, code, comment }) => ({
      error,
      code,
      ...(words.get(code) ?? { when: comment, advice: "" }),
    }));
}

function codesIn(text) {
  return [...text.matchAll(details)].flatMap(([, error, body]) =>
    [...body.matchAll(member)].map(([, comment = "", code]) => ({ error, code, comment: oneLine(comment) })),
  );
}

function oneLine(comment) {
  return comment
    .replaceAll(/\s*\n\s*\*?\s*/g, " ")
    .replaceAll("|", "\\|")
    .trim();
}

/** Rows of tables whose first cell is code, several codes to a cell: those of the README's errors stand over other documents'. */
function readmeWords(workspace, pack) {
  const readme = `${pack.dir}/README.md`;
  const others = workspace.files.filter(
    (path) =>
      path !== readme &&
      path.startsWith(`${pack.dir}/`) &&
      /^[A-Z]+\.md$/.test(path.slice(pack.dir.length + 1)),
  );
  const text = workspace.files.includes(readme) ? workspace.read(readme) : "";
  const section = text.split(/^## /m).find((part) => /^.*\berrors?\b/i.test(part.split("\n", 1)[0])) ?? "";
  return new Map([...others.map((path) => workspace.read(path)), section].flatMap(wordsIn));
}

/** @returns {[string, { when: string, advice: string }][]} */
function wordsIn(text) {
  const rows = [...text.matchAll(/^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|$/gm)];
  return rows.flatMap(([, codes, when, advice]) =>
    [...codes.matchAll(/`(\w+)`/g)].map(
      /** @returns {[string, { when: string, advice: string }]} */
      ([, code]) => [code, { when: when.trim(), advice: advice.trim() }],
    ),
  );
}
