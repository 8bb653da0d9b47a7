// Changesets: what a public package's sources changed is announced, by a pending changeset or by its changelog.
import { spawnSync } from "node:child_process";

/** @returns {string[]} */
export function changesetProblems(workspace, changedSinceRelease = askGit) {
  const notes = workspace.files
    .filter((path) => /^\.changeset\/.+\.md$/.test(path) && !path.endsWith("README.md"))
    .map((path) => ({ path, ...readNote(workspace.read(path)) }));
  const announced = new Set(notes.flatMap((note) => note.bumps.map(([name]) => name)));
  const unannounced = workspace.packages
    .filter((pack) => pack.isPublic && !announced.has(pack.name))
    .filter((pack) => changedSinceRelease(workspace, pack))
    .map((pack) => `${pack.dir}/src changed and no changeset in .changeset names ${pack.name}`);
  return [...notes.flatMap((note) => noteProblems(workspace, note)), ...unannounced];
}

function readNote(text) {
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text);
  if (!match) return { bumps: [], body: "" };
  const bumps = match[1]
    .split("\n")
    .filter(Boolean)
    .map((line) => /^["']?([^"']+?)["']?:\s*(\S+)$/.exec(line)?.slice(1, 3) ?? [line, ""]);
  return { bumps, body: match[2].trim() };
}

function noteProblems(workspace, { path, bumps, body }) {
  if (bumps.length === 0) return [`${path} names no package`];
  const problems = body === "" ? [`${path} does not say what a user gets`] : [];
  for (const [name, bump] of bumps) {
    if (!workspace.packages.some((pack) => pack.isPublic && pack.name === name))
      problems.push(`${path} names ${name}, which is no public package`);
    if (!["patch", "minor", "major"].includes(bump)) problems.push(`${path} bumps ${name} by "${bump}"`);
  }
  return problems;
}

/** True when sources changed after the changelog's last entry; a package without a changelog was never released. */
function askGit(workspace, pack) {
  const git = (...args) =>
    spawnSync("git", ["-c", "safe.directory=*", ...args], { cwd: workspace.root, encoding: "utf8" });
  if (!workspace.files.includes(`${pack.dir}/CHANGELOG.md`)) return true;
  const released = git("log", "-1", "--format=%H", "--", `${pack.dir}/CHANGELOG.md`).stdout?.trim();
  return !released || git("diff", "--quiet", released, "--", `${pack.dir}/src`).status !== 0;
}
