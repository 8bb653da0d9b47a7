// The pages of the site beside the reference: guides, promises, errors, versions, each package's words, decision records.
// Each is a copy with a title and a group for typedoc; links between them lead to the copies.
import { basename, posix } from "node:path";
import { errorPage } from "./error-table.mjs";

/** Where the copies stand, below the root; not tracked. */
export const copiesFolder = "docs/generated";
const errors = "docs/errors.md";

/** @typedef {{ path: string, text: string }} Copy */

/** The front page: no document like the others, so its ending is another. */
export const frontPage = `${copiesFolder}/front-page.markdown`;

/** @returns {Copy[]} */
export function siteDocuments(workspace) {
  const texts = new Map(
    workspace.files.filter((path) => groupOf(path) !== undefined).map((path) => [path, workspace.read(path)]),
  );
  texts.set(errors, errorPage(workspace));
  const known = new Set(workspace.files);
  const copies = [...texts].map(([path, text]) => {
    const head = `---\ntitle: ${JSON.stringify(titleOf(path, text))}\ngroup: ${groupOf(path) ?? "Guides"}\n---\n\n`;
    return {
      path: copyOf(path),
      text: head + withLinks(text, (link) => target(path, link, { texts, known })),
    };
  });
  const words = workspace.read("README.md").replace(/^# .*\n+/, ""); // typedoc writes the heading
  const front = withLinks(words, (link) => target("README.md", link, { texts, known }));
  return [...copies, { path: frontPage, text: front }];
}

function groupOf(path) {
  if (/^docs\/guides\/.+\.md$/.test(path) || path === "docs/promises.md" || path === "VERSIONING.md")
    return "Guides";
  if (/^packages\/[^/]+\/[A-Z]+\.md$/.test(path)) return "Packages";
  return /^docs\/adr\/\d.*\.md$/.test(path) ? "Decisions" : undefined;
}

function titleOf(path, text) {
  const heading = /^# (.+)$/m.exec(text)?.[1] ?? basename(path);
  const pack = /^packages\/([^/]+)\/(?!README)/.exec(path)?.[1];
  return (pack ? `${pack}: ${heading}` : heading).replaceAll("`", "");
}

function copyOf(path) {
  return `${copiesFolder}/${path
    .replace(/^docs\//, "")
    .replaceAll("/", ".")
    .toLowerCase()}`;
}

/** Links outside of code, rewritten; of those that lead nowhere on a site, the words stay. */
function withLinks(text, rewrite) {
  const links = (prose) =>
    prose.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_all, words, link) => {
      const fresh = rewrite(link);
      return fresh === undefined ? words : `[${words}](${fresh})`;
    });
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith("```") ? part : links(part)))
    .join("");
}

/** Another page's copy, or a file of the repository, which typedoc takes along; undefined for a folder. */
function target(from, link, { texts, known }) {
  if (/^[a-z]+:|^#/.test(link)) return link;
  const [path, anchor] = link.split("#");
  const whole = posix.normalize(posix.join(posix.dirname(from), path)).replace(/\/$/, "");
  const page = [whole, `${whole}/README.md`].find((one) => texts.has(one));
  if (page) return basename(copyOf(page)) + (anchor ? `#${anchor}` : "");
  return known.has(whole) ? posix.relative(copiesFolder, whole) : undefined;
}
