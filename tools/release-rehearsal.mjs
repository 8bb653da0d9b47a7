// A rehearsal of a release, in a copy that holds the manifests alone: for one bump after another, `changeset version` runs,
// and exactly the packages move whose stated ranges the new version leaves. `node tools/release-rehearsal.mjs`
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { moveProblems, movesOf, settledManifest } from "./release/moves.mjs";
import { runProgram, Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

/** Core stands below all others, session below some, and nothing stands on hook-dialects. */
const bumps = [
  { name: "@basis/core", bump: "patch" },
  { name: "@basis/core", bump: "minor" },
  { name: "@mobkit/session", bump: "minor" },
  { name: "@basis/hook-dialects", bump: "minor" },
];

const workspace = workspaceOnDisk();
const steps = new Steps();
for (const one of bumps) await steps.run(`${one.name} ${one.bump}`, () => rehearse(one));
steps.finish();

async function rehearse({ name, bump }) {
  const folder = mkdtempSync(join(tmpdir(), "basis-release-"));
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  try {
    const config = JSON.parse(workspace.read(".changeset/config.json"));
    write(".changeset/config.json", JSON.stringify({ ...config, changelog: false }));
    write(".changeset/rehearsed.md", `---\n"${name}": ${bump}\n---\n\nA change.\n`);
    for (const path of ["pnpm-workspace.yaml", "pnpm-lock.yaml", "package.json"])
      write(path, workspace.read(path));
    for (const { dir, manifest } of workspace.packages)
      write(`${dir}/package.json`, settledManifest(manifest));
    const problems = await runProgram("changeset", ["version"], { quiet: true, cwd: folder });
    if (problems.length > 0) return problems;
    const after = workspace.packages.map(({ dir }) =>
      JSON.parse(readFileSync(join(folder, dir, "package.json"), "utf8")),
    );
    const moved = movesOf(after);
    for (const [mover, version] of moved) process.stdout.write(`  ${mover} moves to ${version}\n`);
    const manifests = workspace.packages.map(({ manifest }) => manifest);
    return moveProblems({ manifests, moved, name, bump });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
