import { blocks } from "./lay-out.mjs";
import { measureImports } from "./measure-imports.mjs";

const peer = (name, gated = false) => ({ id: name, label: name, role: "peer", peer: name, gated });

/** Loading a root entry in a fresh process: the least of 15 minus the least of an empty module. Differences of a millisecond or two are noise. */
export const imports = {
  name: "imports",
  title: "Import of every root entry (least of 15 processes, minus an empty module)",
  unit: "ms",
  location: "least",
  measure: measureImports,
  control: { cell: "root entries", id: "hookable", tolerance: 2 },
  cells: [
    {
      name: "root entries",
      cases: [
        ...blocks().map(({ name }) => ({ id: name, label: name, role: "own" })),
        // Gates compare with it, so a gate run needs it.
        peer("hookable", true),
        peer("@mariozechner/pi-agent-core"),
        peer("ai"),
      ],
    },
  ],
};
