// Links: what a tracked text links to inside this repository exists.
import { posix } from "node:path";

/** @returns {string[]} */
export function linkProblems(workspace) {
  const known = new Set(workspace.files.flatMap((path) => [path, ...foldersAbove(path)]));
  return workspace.files
    .filter((path) => path.endsWith(".md") && !path.endsWith("CHANGELOG.md"))
    .flatMap((path) =>
      linksIn(workspace.read(path))
        .map((link) => posix.normalize(posix.join(posix.dirname(path), link)).replace(/\/$/, ""))
        .filter((target) => !known.has(target))
        .map((target) => `${path} links to ${target}, which does not exist`),
    );
}

/** Relative targets outside of code, without their anchors. */
function linksIn(text) {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target.replace(/#.*$/, ""))
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target));
}

function foldersAbove(path) {
  const parts = path.split("/").slice(0, -1);
  return [".", ...parts.map((_part, index) => parts.slice(0, index + 1).join("/"))];
}
