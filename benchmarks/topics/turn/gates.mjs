const ratio = (says, of, { to, ...bounds }) => ({
  topic: "turn",
  says,
  kind: "ratio",
  of,
  to,
  source: "issue",
  ...bounds,
});

/**
 * What a turn may cost. The aims against peers are the issue's; the gates are what ADR 0036 makes of them, a quarter above
 * what was measured in time and an eighth in bytes. @type {import("../../gates.mjs").Gate[]}
 */
export const turnGates = [
  ratio("turn with hook, ajv, approval / pi-agent-core", "in memory/ours", {
    to: "in memory/pi",
    gate: 4.5,
    aim: 1,
    source: "perf",
  }),
  ratio("turn with hook, ajv, approval / AI SDK's agent loop", "in memory/ours", {
    to: "in memory/ai",
    gate: 0.65,
    aim: 0.333,
  }),
  ratio("turn / raw loop", "in memory/ours", { to: "in memory/raw", aim: 25, source: "perf" }),
  ratio("bytes a turn allocates / pi-agent-core", "bytes allocated a turn/ours", {
    to: "bytes allocated a turn/pi",
    gate: 1.77,
    aim: 1,
    steady: true,
  }),
  ratio("bytes a turn allocates / AI SDK's agent loop", "bytes allocated a turn/ours", {
    to: "bytes allocated a turn/ai",
    gate: 0.45,
    aim: 0.333,
    steady: true,
  }),
  ratio("turn whose spans are recorded / without a tracer", "in memory/traced", {
    to: "in memory/ours",
    aim: 2.5,
  }),
  ratio("turn behind 10,000 messages / behind 10", "by history/long", {
    to: "by history/short",
    gate: 1.5,
    aim: 1.1,
  }),
  ratio("100 children at once / their turns in a bare loop", "100 children/delegated", {
    to: "100 children/bare",
    gate: 2,
  }),
  {
    topic: "turn",
    says: "heap that a turn leaves, of 5,000 on SQLite",
    kind: "value",
    of: "bytes left a turn/soak",
    gate: 1024,
    source: "issue",
    unit: "B",
  },
];
