// `npm run campaign -- NAME --seed N`: a long run of one campaign. Without a name, lists them.
// A campaign is a file `campaigns/NAME.mjs` of a package or of the host; it gets the remaining arguments and `--long`.
import { basename } from "node:path";
import { runProgram } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const [name, ...rest] = process.argv.slice(2);
const campaigns = new Map(
  workspaceOnDisk()
    .files.filter((path) => /^(?:packages|apps)\/[^/]+\/campaigns\/[^/]+\.mjs$/.test(path))
    .map((path) => [basename(path, ".mjs"), path]),
);
const listed = campaigns.size === 0 ? "there are none in this checkout" : [...campaigns.keys()].join(", ");

if (name === undefined) {
  process.stdout.write(`campaigns: ${listed}\n`);
} else if (campaigns.has(name)) {
  const problems = await runProgram(process.execPath, [campaigns.get(name), "--long", ...rest]);
  if (problems.length > 0) process.exitCode = 1;
} else {
  process.stderr.write(`No campaign is named "${name}"; ${listed}\n`);
  process.exitCode = 2;
}
