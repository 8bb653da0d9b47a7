const started = (id, bounds) => ({
  topic: "start",
  says: `${bounds.says} / bare Node`,
  kind: "ratio",
  of: `processes/${id}`,
  to: "processes/bare",
  source: "issue",
  ...bounds,
});

/** What a start of the command line may cost. Bare Node takes 60 ms of CPU, so that 250 ms above it is a ratio of 5. */
export const startGates = [
  started("version", { says: "basis --version", gate: 1.6 }),
  started("help", { says: "basis --help", aim: 2 }),
  started("run", { says: "a scripted run, whole", gate: 5 }),
  started("ephemeral", { says: "a scripted run in memory, whole", gate: 5, aim: 3 }),
];
