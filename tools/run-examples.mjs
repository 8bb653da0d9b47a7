// Runs every example, each as its own process. An example asserts what it shows and exits non-zero when that does not hold.
import { dirname, join } from "node:path";
import { withDatabase } from "./example-database.mjs";
import { runProgram, Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const workspace = workspaceOnDisk();
const steps = new Steps();
const examples = workspace.files.filter((path) => /^examples\/[^/]+\/[^/]+\.mjs$/.test(path));
for (const path of examples) await steps.run(path, () => withDatabase(path, () => runExample(path)));
if (examples.length === 0) steps.failed.push("there is no example");
steps.finish();

function runExample(path) {
  const cwd = join(workspace.root, dirname(path));
  return runProgram(process.execPath, [join(workspace.root, path)], { quiet: true, cwd });
}
