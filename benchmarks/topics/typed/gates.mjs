const noSlower = (cell, [peer, name]) => ({
  topic: "typed",
  says: `${cell}: ours / ${name}`,
  kind: "ratio",
  of: `${cell}/ours`,
  to: `${cell}/${peer}`,
  gate: 1,
  source: "issue",
});

const INSTRUCTOR = ["instructor", "instructor"];
const AI = ["ai", "AI SDK object output"];

/** Times that the issue names are far above what any machine takes: they decide. */
const most = (says, of, { gate, unit = "µs" }) => ({
  topic: "typed",
  says,
  kind: "value",
  of,
  gate,
  source: "issue",
  unit,
});

/** What a typed answer may cost. */
export const typedGates = [
  ...[INSTRUCTOR, AI].flatMap((peer) => [noSlower("accepted", peer), noSlower("one rejection", peer)]),
  {
    topic: "typed",
    says: "accepted: ours minus a plain turn",
    kind: "difference",
    of: "accepted/ours",
    to: "accepted/plain",
    gate: 15,
    source: "perf",
    unit: "µs",
    ofThisMachine: true,
  },
  most("first verdict of a 43 KB schema", "schema of 43 KB/first", { gate: 60_000 }),
  most("a further verdict of it", "schema of 43 KB/warm", { gate: 100 }),
  most("a typed turn of 1 KB", "accepted/ours", { gate: 1_000 }),
  most("100 KB streamed", "streamed/100 KB", { gate: 250_000 }),
  {
    topic: "typed",
    says: "streamed: 200 KB / 100 KB",
    kind: "ratio",
    of: "streamed/200 KB",
    to: "streamed/100 KB",
    gate: 2.5,
    source: "issue",
  },
  most("heap kept of 10,000 runs with cloned schemas", "kept of 10,000 runs/clones", { gate: 5, unit: "MB" }),
];
