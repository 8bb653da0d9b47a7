// The bounds. `gate` is what must hold, `aim` the stricter figure of the performance notes that the work is heading for.
// Ratios, slopes and sizes hold on any machine and decide a gate run; times (`ofThisMachine`) are only shown.
import { chainGates } from "./topics/chain/gates.mjs";
import { delegationGates } from "./topics/delegation/gates.mjs";
import { processGates } from "./topics/hook-process/gates.mjs";
import { startGates } from "./topics/start/gates.mjs";
import { commandGates } from "./topics/commands/gates.mjs";
import { postgresGates } from "./topics/postgres/gates.mjs";
import { storeGates } from "./topics/store/gates.mjs";
import { turnGates } from "./topics/turn/gates.mjs";
import { typedGates } from "./topics/typed/gates.mjs";
import { workerGates } from "./topics/workers/gates.mjs";
import { blocks } from "./topics/imports/lay-out.mjs";

/**
 * @typedef {object} Gate
 * @property {string} topic
 * @property {string} says
 * @property {"ratio" | "difference" | "slope" | "value"} kind
 * @property {string} of `CELL/CASE`
 * @property {string} [to] What a ratio, difference or slope is taken to.
 * @property {[number, number]} [lengths] Of `of` and `to`, for a slope.
 * @property {number} [gate]
 * @property {number} [aim]
 * @property {string} source
 * @property {string} [unit]
 * @property {boolean} [ofThisMachine]
 * @property {boolean} [steady] Counts, which other work on the machine does not touch: they decide in a noisy topic, too.
 */

const workerTime = (cell, worker, { gate, aim }) => ({
  topic: "hook-worker",
  says: `${cell}: ${worker}, a question`,
  kind: "value",
  of: `${cell}/${worker}`,
  gate,
  aim,
  source: "D8",
  unit: "µs",
  ofThisMachine: true,
});

const workerRatio = (cell, worker, { to, aim }) => ({
  topic: "hook-worker",
  says: `${cell}: ${worker} / ${to}`,
  kind: "ratio",
  of: `${cell}/${worker}`,
  to: `${cell}/${to}`,
  aim,
  source: "perf",
});

const imported = (name) => [
  {
    topic: "imports",
    says: `${name} / hookable`,
    kind: "ratio",
    of: `root entries/${name}`,
    to: "root entries/hookable",
    aim: 1,
    source: "D4",
  },
  {
    topic: "imports",
    says: `${name}: import`,
    kind: "value",
    of: `root entries/${name}`,
    gate: 15,
    source: "perf",
    unit: "ms",
    ofThisMachine: true,
  },
];

/** @type {Gate[]} */
export const gates = [
  ...typedGates,
  ...workerGates,
  ...chainGates,

  ...storeGates,

  ...postgresGates,

  ...turnGates,

  ...blocks().flatMap(({ name }) => imported(name)),

  ...startGates,

  ...processGates,

  workerTime("one at a time", "node kit", { gate: 300, aim: 200 }),
  workerTime("one at a time", "python kit", { gate: 300, aim: 200 }),
  workerTime("50 in flight", "node kit", { gate: 200 }),
  workerTime("50 in flight", "python kit", { gate: 200 }),
  workerRatio("one at a time", "node kit", { to: "bare cat", aim: 1.5 }),
  workerRatio("one at a time", "node kit", { to: "bare by hand", aim: 1.5 }),

  ...commandGates,
  ...delegationGates,
];
