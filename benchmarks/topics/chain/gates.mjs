const ratio = (says, { of, to = "5 sync/loop", gate, aim, source = "D8" }) => ({
  topic: "chain",
  says,
  kind: "ratio",
  of,
  to,
  gate,
  aim,
  source,
});

const toLoop = (cell, bounds) =>
  ratio(`${cell}: chain / awaited loop`, { of: `${cell}/ours`, to: `${cell}/loop`, ...bounds });

const time = (cell, { gate, aim, source = "D8" }) => ({
  topic: "chain",
  says: `${cell}: a call`,
  kind: "value",
  of: `${cell}/ours`,
  gate,
  aim,
  source,
  unit: "µs",
  ofThisMachine: true,
});

/** A guarded call asks the chain twice, and reads and checks the input. Tools of frameworks that cost little are held to the loop. */
const tool = (name, bounds) =>
  ratio(`${name} tool, guarded / awaited loop`, { of: `${name} tool, 5 sync/ours`, ...bounds });
const toBare = (name, gate) =>
  ratio(`${name} tool, guarded / bare`, {
    of: `${name} tool, 5 sync/ours`,
    to: `${name} tool, 5 sync/bare`,
    gate,
    source: "issue",
  });

export const chainGates = [
  time("empty", { gate: 0.3, aim: 0.1 }),
  time("5 sync", { gate: 3, aim: 0.15 }),
  time("5 async", { gate: 6, aim: 1 }),
  time("20 async", { aim: 2.2 }),
  time("AI SDK tool, 5 sync", { gate: 10, source: "issue" }),
  toLoop("1 sync", { gate: 4 }),
  toLoop("5 sync", { gate: 4 }),
  toLoop("5 async", { gate: 4 }),
  toLoop("5 sync, 2 kB input", { gate: 4 }),
  toLoop("20 sync", { aim: 1.3, source: "perf" }),
  toLoop("20 async", { aim: 1.3, source: "perf" }),
  tool("AI SDK", { gate: 5, aim: 3, source: "issue" }),
  tool("OpenAI Agents", { gate: 30, source: "issue" }),
  tool("Anthropic", { gate: 10, source: "issue" }),
  toBare("LangChain", 2.5),
  toBare("MCP client's", 2.5),
];
