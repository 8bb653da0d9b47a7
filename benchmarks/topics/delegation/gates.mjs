const atOnce = (says, of, gate) => ({
  topic: "delegation",
  says,
  kind: "ratio",
  of: `a thousand/${of}`,
  to: "a thousand/few",
  gate,
  source: "issue",
});

/** What deciding a child, and running a thousand, may cost. @type {import("../../gates.mjs").Gate[]} */
export const delegationGates = [
  {
    topic: "delegation",
    says: "policy, plan and preview of a parent with 50 tools",
    kind: "value",
    of: "decided, 50 tools/ours",
    gate: 20,
    source: "issue",
    unit: "µs",
    ofThisMachine: true,
  },
  {
    topic: "delegation",
    says: "policy, plan and preview / by hand",
    kind: "ratio",
    of: "decided, 50 tools/ours",
    to: "decided, 50 tools/hand",
    gate: 2.5,
    aim: 2,
    source: "perf",
  },
  atOnce("a delegation among 1,000 / among 10", "many", 2),
  atOnce("a delegation among 1,000 of which 8 run / among 10", "waiting", 3),
  {
    topic: "delegation",
    says: "heap that an ended delegation leaves",
    kind: "value",
    of: "bytes left a delegation/growth",
    gate: 16,
    source: "issue",
    unit: "B",
  },
];
