// Packs the package in the current folder into its `temp/package.tgz`, for the checks that turbo runs after it.
import { mkdirSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import { packPackage } from "./packed/tarball.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const workspace = workspaceOnDisk();
const here = relative(workspace.root, process.cwd()).replaceAll("\\", "/");
const pack = workspace.packages.find(({ dir }) => dir === here);
if (!pack) throw new Error(`${here || "the root"} is no package of this workspace`);
const folder = join(process.cwd(), "temp");
mkdirSync(folder, { recursive: true });
renameSync(packPackage(workspace, pack, folder), join(folder, "package.tgz"));
process.stdout.write(`packed ${pack.name}\n`);
