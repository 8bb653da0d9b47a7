// Runs every example, each as its own process. An example asserts what it shows and exits non-zero when that does not hold.
import { dirname, join } from "node:path";
import { runProgram, Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const workspace = workspaceOnDisk();
const steps = new Steps();
const examples = workspace.files.filter((path) => /^examples\/[^/]+\/[^/]+\.mjs$/.test(path));
for (const path of examples)
  await steps.run(path, () =>
    runProgram(process.execPath, [join(workspace.root, path)], {
      quiet: true,
      cwd: join(workspace.root, dirname(path)),
    }),
  );
if (examples.length === 0) steps.failed.push("there is no example");
steps.finish();
