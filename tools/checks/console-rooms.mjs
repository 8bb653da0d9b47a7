// The rooms of the host's page: what each may import. The lower ones know no browser, so that tests and exports share them.
import { importsOf, resolveRelative, splitSpecifier } from "../module-imports.mjs";

const home = "apps/runtime/console/";

/** Room → rooms it may import from, its own included. */
const rooms = new Map([
  ["state", ["state"]],
  ["stream", ["stream", "state"]],
  ["view", ["view", "stream", "state"]],
  ["", ["", "view", "stream", "state"]],
]);

/** Packages by the rooms that may import them. */
const packages = new Map([
  ["preact", ["view", ""]],
  ["d3-hierarchy", ["state"]],
]);

/** Files of the host that are a part of the page: they know neither Node nor the rest of the host. */
const shared = new Set(["apps/runtime/src/page/console-html.ts"]);

/** @returns {string[]} one problem a line, `path:line message`. */
export function consoleRoomProblems(workspace) {
  return workspace.files
    .filter((path) => path.startsWith(home) && /\.tsx?$/.test(path))
    .flatMap((path) =>
      importsOf(workspace, path).flatMap((one) => {
        const message = one.typeOnly && isOfHost(path, one.specifier) ? undefined : problemOf(path, one);
        return message === undefined ? [] : [`${path}:${one.line} ${message}`];
      }),
    );
}

function isOfHost(path, specifier) {
  return specifier.startsWith(".") && resolveRelative(path, specifier).startsWith("apps/runtime/src/");
}

function problemOf(path, { specifier }) {
  const room = roomOf(path);
  if (!specifier.startsWith(".")) {
    const { name } = splitSpecifier(specifier);
    return packages.get(name)?.includes(room) ? undefined : `"${specifier}" has no place in ${nameOf(room)}`;
  }
  const target = resolveRelative(path, specifier);
  if (shared.has(target)) return undefined;
  if (!target.startsWith(home)) return `"${specifier}" is no part of the page`;
  const wanted = roomOf(target);
  return rooms.get(room)?.includes(wanted) ? undefined : `${nameOf(room)} knows nothing of ${nameOf(wanted)}`;
}

function roomOf(path) {
  const parts = path.slice(home.length).split("/");
  return parts.length === 1 ? "" : parts[0];
}

function nameOf(room) {
  return room === "" ? "the page's entry" : `console/${room}`;
}
