const ofWorkers = (gate) => ({ topic: "workers", source: "issue", ...gate });

/** What many workers are to bring, and how soon a turn begins. */
export const workerGates = [
  ofWorkers({
    says: "a turn with four workers / with one",
    kind: "ratio",
    of: "turns/4",
    to: "turns/1",
    gate: 0.33,
  }),
  ofWorkers({
    says: "dispatch",
    kind: "value",
    of: "dispatch/idle",
    aim: 50,
    unit: "ms",
    ofThisMachine: true,
  }),
];
