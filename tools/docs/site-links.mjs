// Links of the finished site: what a page names inside it exists, the place in the page too.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** @param {string} site An absolute folder. @returns {string[]} */
export function siteLinkProblems(site) {
  const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".html"),
  );
  const texts = new Map(pages.map((path) => [join(site, path), readFileSync(join(site, path), "utf8")]));
  const anchors = new Map();
  const anchorsOf = (page) => {
    if (!anchors.has(page))
      anchors.set(
        page,
        new Set([...(texts.get(page) ?? "").matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id]) => id)),
      );
    return anchors.get(page);
  };
  const problems = new Set();
  for (const [page, text] of texts)
    for (const link of localLinks(text)) {
      const [path, anchor] = link.split("#").map(decoded);
      const file = path === "" ? page : join(dirname(page), path.replace(/\?.*$/, ""));
      const said = `${relative(site, page)} links to ${link}`;
      if (!existsSync(file)) problems.add(`${said}, which does not exist`);
      else if (anchor && texts.has(file) && !anchorsOf(file).has(anchor))
        problems.add(`${said}: no such place there`);
      else if (statSync(file).isDirectory()) problems.add(`${said}, which is a folder`);
    }
  return pages.length === 0 ? ["the site has no page"] : [...problems];
}

function localLinks(text) {
  return [
    ...new Set(
      [...text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link]) => link.replaceAll("&amp;", "&")),
    ),
  ].filter((link) => !/^[a-z]+:|^\/\//i.test(link) && link !== "#");
}

function decoded(text) {
  return decodeURIComponent(text);
}
