const ours = (id, label, variant) => ({ id, label, role: "own", file: "hook-process/hooks.mjs", variant });
const spawn = (label, variant) => ({
  id: "spawn",
  label,
  role: "limit",
  file: "hook-process/bare-spawn.mjs",
  variant,
});
const posix = {
  id: "posix",
  label: "posix_spawn from Python (limit)",
  role: "limit",
  file: "hook-process/posix-spawn.mjs",
};

const bySystem = (name, megabytes) => ({
  name,
  together: true,
  cases: [posix, ours("ours", `hook, host with ${megabytes} MB more`, { megabytes })],
});

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
        spawn("bare spawn (limit)"),
        ours("ours", "hook, by the launcher", {}),
        ours("direct", "hook, launcher: false", { launcher: false }),
      ],
    },
    bySystem("50 MB", 0),
    bySystem("500 MB", 450),
    {
      name: "1 GB",
      together: true,
      cases: [
        spawn("bare spawn (limit)", { megabytes: 1024 }),
        ours("ours", "hook, by the launcher", { megabytes: 1024 }),
        ours("direct", "hook, launcher: false", { megabytes: 1024, launcher: false }),
      ],
    },
    {
      name: "longest stall of the event loop, 1 GB",
      once: true,
      cases: [
        ours("ours", "40 hooks, by the launcher", { megabytes: 1024, stall: true }),
        ours("direct", "40 hooks, launcher: false", { megabytes: 1024, stall: true, launcher: false }),
      ],
    },
    {
      name: "20 calls",
      together: true,
      cases: [
        ours("in turn", "one after the other", { inTurn: 20 }),
        ours("at once", "all at once", { atOnce: 20 }),
      ],
    },
  ],
};
