const ratio = (says, { of, to, gate, aim }, source = "issue") => ({
  topic: "store",
  says,
  kind: "ratio",
  of,
  to,
  gate,
  aim,
  source,
});

const toBare = (says, { of, to = "bare", gate, aim }, source) =>
  ratio(says, { of: `writes/${of}`, to: `writes/${to}`, gate, aim }, source);

const flat = (says, cell, of) => ({
  topic: "store",
  says,
  kind: "slope",
  of: `${cell}/${of} 100000`,
  to: `${cell}/${of} 1000`,
  lengths: [100_000, 1000],
  gate: 0.05,
  source: "perf",
});

const size = (says, of, { gate, aim, unit, source }) => ({
  topic: "store",
  says,
  kind: "value",
  of: `sizes/${of}`,
  gate,
  aim,
  unit,
  source,
  steady: true,
});

/** On the disk of the machine: shown, since D22's bounds ask for a sync that costs more than the work around it (record 0023). */
const onThisDisk = [
  ...[10, 1000, 100_000].map((length) =>
    toBare(`append at ${length.toLocaleString("en-US")} / two bare statements`, {
      of: `append ${length}`,
      to: "two",
      aim: 1.5,
    }),
  ),
  toBare("fork's commit step at 100,000 / bare commit", { of: "commit 100000", aim: 1.5 }, "D22"),
  toBare("whole fork at 100,000 / bare commit", { of: "fork 100000", aim: 3 }, "D22"),
];

const withSync = (cell, source, { gates, aims = [] }) =>
  [
    ["append / two bare statements", "append 1000", "two"],
    ["fork's commit step / bare commit", "commit 1000", "bare"],
    ["whole fork / bare commit", "fork 1000", "bare"],
  ].map(([says, of, to], at) =>
    ratio(
      `${says}: ${cell}`,
      { of: `writes, ${cell}/${of}`, to: `writes, ${cell}/${to}`, gate: gates[at], aim: aims[at] },
      source,
    ),
  );

/** What durable sessions and forks may cost on SQLite. */
export const storeGates = [
  ...onThisDisk,
  ...withSync("syncs of 500 µs", "D22", { gates: [1.5, 1.5, 3] }),
  ...withSync("syncs left out", "0023", { gates: [4.5, 9, 22], aims: [3.5, 6.5, 15] }),
  flat("append: growth from 1,000 to 100,000", "writes", "append"),
  toBare(
    "fork's commit step / append, at 100,000",
    { of: "commit 100000", to: "append 100000", aim: 1.3 },
    "perf",
  ),
  toBare("whole fork at 100,000 / at 10", { of: "fork 100000", to: "fork 10", gate: 3 }),
  ratio("64 messages at once / one by one", {
    of: "64 appenders/together",
    to: "64 appenders/one by one",
    gate: 0.2,
  }),
  size("64 messages at once", "commits", { gate: 12, aim: 1, unit: "commits", source: "issue" }),
  ratio(
    "next turn's context at 100,000 / 50 bare rows",
    { of: "next turn's context/tail 100000", to: "next turn's context/bare", gate: 5 },
    "0059",
  ),
  flat("next turn's context: growth from 1,000 to 100,000", "next turn's context", "tail"),
  ...[
    ["1,000 forks of 100,000 messages add 1,000 ×", "whole", { gate: 374, aim: 200, unit: "B" }],
    ["a committed fork adds", "commit", { gate: 358, aim: 200, unit: "B" }],
    ["a message of 200 bytes adds beside its JSON", "row", { gate: 164, unit: "B" }],
    ["file / JSON, 1,000 messages of 800 bytes", "messages", { gate: 1.65, aim: 1.15 }],
    ["file / JSON, 10,000 messages of 60 to 12,000 bytes", "mixed", { gate: 1.33, aim: 1.15 }],
  ].map(([says, of, bound]) => size(says, of, { ...bound, source: "0059" })),
];
