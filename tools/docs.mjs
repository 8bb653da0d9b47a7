// `npm run docs`: the reference of every published entry as HTML in docs/site, read from the sources by typedoc.
// Typedoc needs a compiler with an API: the private docs package keeps TypeScript 6 for it.
import { join } from "node:path";
import { runProgram, Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const workspace = workspaceOnDisk();
const typedoc = join(workspace.root, "docs", "node_modules", "typedoc", "bin", "typedoc");
const entries = workspace.packages
  .filter((pack) => pack.isBlock)
  .flatMap((pack) => pack.entries.flatMap(({ source }) => ["--entryPoints", join(workspace.root, source)]));

const steps = new Steps();
await steps.run("docs", () =>
  runProgram(
    process.execPath,
    [typedoc, "--options", join(workspace.root, "docs", "typedoc.json"), ...entries],
    { quiet: true, cwd: join(workspace.root, "docs") },
  ),
);
steps.finish();
