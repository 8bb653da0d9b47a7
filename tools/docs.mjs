// `npm run docs`: the site in docs/site: guides, promises, errors, versions, and the reference of every published entry,
// read from the sources by typedoc; then every link of it is followed.
// Typedoc needs a compiler with an API: the private docs package keeps TypeScript 6 for it.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copiesFolder, siteDocuments } from "./docs/site-documents.mjs";
import { siteLinkProblems } from "./docs/site-links.mjs";
import { runProgram, Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const workspace = workspaceOnDisk();
const typedoc = join(workspace.root, "docs", "node_modules", "typedoc", "bin", "typedoc");
const entries = workspace.packages
  .filter((pack) => pack.isBlock)
  .flatMap((pack) => pack.entries.flatMap(({ source }) => ["--entryPoints", join(workspace.root, source)]));

const steps = new Steps();
await steps.run("documents", writeDocuments);
await steps.run("docs", () =>
  runProgram(
    process.execPath,
    [typedoc, "--options", join(workspace.root, "docs", "typedoc.json"), ...entries],
    { quiet: true, cwd: join(workspace.root, "docs") },
  ),
);
await steps.run("links of the site", () => siteLinkProblems(join(workspace.root, "docs", "site")));
steps.finish();

function writeDocuments() {
  const folder = join(workspace.root, copiesFolder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of siteDocuments(workspace)) writeFileSync(join(workspace.root, path), text);
  return [];
}
