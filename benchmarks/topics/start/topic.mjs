import { measureStarts } from "./measure-starts.mjs";

const ours = (id, label) => ({ id, label, role: "own" });

/** Whole processes, from the start of Node to their end: an upper bound of the time to a model's first byte. */
export const start = {
  name: "start",
  title: "CPU of a process of the command line (least of 15)",
  unit: "ms",
  location: "least",
  measure: measureStarts,
  control: { cell: "processes", id: "bare" },
  cells: [
    {
      name: "processes",
      cases: [
        { id: "bare", label: "node, an empty module (limit)", role: "limit" },
        ours("version", "basis --version"),
        ours("help", "basis --help"),
        ours("ephemeral", "basis run --ephemeral, one scripted round"),
        ours("run", "basis run, one scripted round"),
      ],
    },
  ],
};
