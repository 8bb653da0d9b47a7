/** A hook that is a program, started anew for each question. */
export const hookProcess = {
  name: "hook-process",
  title: "One subprocess hook (sh), started and answered",
  unit: "µs",
  sampling: { sampleMs: 10, samples: 25, warmMs: 200 },
  control: { cell: "sh", id: "spawn" },
  cells: [
    {
      name: "sh",
      together: true,
      cases: [
        { id: "spawn", label: "bare spawn (limit)", role: "limit", file: "hook-process/bare-spawn.mjs" },
        { id: "ours", label: "hook of @basis/hooks/node", role: "own", file: "hook-process/hooks.mjs" },
      ],
    },
  ],
};
