// Every check of the repository's own rules, in the order in which they run: the cheapest first.
import { changesetProblems } from "./changesets.mjs";
import { consoleRoomProblems } from "./console-rooms.mjs";
import { fileNameProblems } from "./file-names.mjs";
import { fileSizeProblems } from "./file-sizes.mjs";
import { layeringProblems } from "./layering.mjs";
import { linkProblems } from "./links.mjs";
import { manifestProblems } from "./manifests.mjs";
import { nodeFloorProblems } from "./node-floor.mjs";
import { numberProblems } from "./readme-numbers.mjs";
import { readmeProblems } from "./readme-shape.mjs";
import { rootEntryProblems } from "./root-entries.mjs";
import { rootReachProblems } from "./root-reach.mjs";
import { snippetProblems } from "./snippets.mjs";
import { trackedTextProblems } from "./tracked-text.mjs";

/** @type {{ name: string, problems: (workspace: any) => string[] | Promise<string[]> }[]} */
export const checks = [
  { name: "layering", problems: layeringProblems },
  { name: "console rooms", problems: consoleRoomProblems },
  { name: "root reach", problems: rootReachProblems },
  { name: "root entries", problems: rootEntryProblems },
  { name: "manifests", problems: manifestProblems },
  { name: "file sizes", problems: fileSizeProblems },
  { name: "file names", problems: fileNameProblems },
  { name: "tracked text", problems: trackedTextProblems },
  { name: "node floor", problems: nodeFloorProblems },
  { name: "snippets", problems: snippetProblems },
  { name: "readmes", problems: readmeProblems },
  { name: "readme numbers", problems: numberProblems },
  { name: "links", problems: linkProblems },
  { name: "changesets", problems: changesetProblems },
];
