// Snippets: a block between `<!-- snippet: PATH -->` and `<!-- /snippet -->` is the file's text in a fence. Whoever follows a
// guide or a README has installed what its snippets import: npm alone would find more.
import { writeFileSync } from "node:fs";
import { extname, join } from "node:path";

const block = /<!-- snippet: (\S+) -->\n([\s\S]*?)<!-- \/snippet -->/g;
const opening = /<!-- snippet: \S+ -->/g;
const languages = new Map([
  [".mjs", "js"],
  [".js", "js"],
  [".ts", "ts"],
  [".json", "json"],
  [".sh", "sh"],
]);

/** Where a reader begins; a page of bindings says for which versions each is. */
const beginnings = /^(?:docs\/guides\/[^/]+|packages\/[^/]+\/README|apps\/[^/]+\/[^/]+)\.md$/;
const installing = /\bnpm (?:i|install) ([^\n`#]+)/g;
const importing = /\b(?:from|import)\s*\(?"(@(?:basis|mobkit)\/[^"/]+)/g;

/** @returns {string[]} */
export function snippetProblems(workspace) {
  return markdown(workspace).flatMap((path) => {
    const text = workspace.read(path);
    const blocks = [...text.matchAll(block)];
    const problems = blocks.flatMap(([, source, body]) => {
      if (!workspace.files.includes(source)) return [`${path} embeds ${source}, which does not exist`];
      return body === fenced(workspace, source)
        ? []
        : [`${path} differs from ${source}: run npm run check -- --write`];
    });
    if (beginnings.test(path)) problems.push(...notInstalled(path, text, blocks));
    const opened = [...text.matchAll(opening)].length;
    return opened === blocks.length
      ? problems
      : [...problems, `${path} has a snippet block that is not closed`];
  });
}

/** Rewrites every block from its file. @returns {string[]} the files changed. */
export function writeSnippets(workspace) {
  return markdown(workspace).filter((path) => {
    const text = workspace.read(path);
    const fresh = text.replaceAll(block, (whole, source) =>
      workspace.files.includes(source)
        ? `<!-- snippet: ${source} -->\n${fenced(workspace, source)}<!-- /snippet -->`
        : whole,
    );
    if (fresh === text) return false;
    writeFileSync(join(workspace.root, path), fresh);
    return true;
  });
}

function notInstalled(path, text, blocks) {
  const installed = new Set([...text.matchAll(installing)].flatMap(([, words]) => words.trim().split(/\s+/)));
  const imported = new Set(
    blocks.flatMap(([, , body]) => [...body.matchAll(importing)].map(([, name]) => name)),
  );
  return [...imported]
    .filter((name) => !installed.has(name))
    .map((name) => `${path} imports ${name} in a snippet and does not say: npm i ${name}`);
}

function fenced(workspace, source) {
  const text = workspace.read(source);
  return `\`\`\`${languages.get(extname(source)) ?? ""}\n${text.endsWith("\n") ? text : `${text}\n`}\`\`\`\n`;
}

function markdown(workspace) {
  return workspace.files.filter((path) => path.endsWith(".md") && !path.endsWith("CHANGELOG.md"));
}
