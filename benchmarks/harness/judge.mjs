import { difference, estimate, ratio, slope } from "./statistics.mjs";

/**
 * @typedef {"met" | "missed" | "unsure" | "shown" | "not measured"} Verdict
 * `missed`: the interval's lower bound passes the gate. `unsure`: the estimate does, the interval doesn't.
 * `shown`: there is an aim and no gate.
 */

/** What a gate came to. @returns {{ gate: object, reached?: import("./statistics.mjs").Estimate, verdict: Verdict }} */
export function judge(gate, results, location) {
  const of = results.get(gate.of)?.repeats ?? [];
  const to = gate.to === undefined ? of : (results.get(gate.to)?.repeats ?? []);
  if (of.length === 0 || to.length === 0) return { gate, verdict: "not measured" };
  const reached = reach(gate, { of, to }, location);
  return { gate, reached, verdict: verdictOf(gate.gate, reached) };
}

function reach({ kind, lengths }, { of, to }, location) {
  switch (kind) {
    case "ratio":
      return ratio(of, to, location);
    case "difference":
      return difference(of, to, location);
    case "slope":
      return slope(of, to, lengths);
    default:
      return estimate(of, location);
  }
}

function verdictOf(bound, { value, low }) {
  if (bound === undefined) return "shown";
  if (value <= bound) return "met";
  return low > bound ? "missed" : "unsure";
}

/**
 * Whether a topic can be believed: the same case measured twice must agree within a tenth, or within the topic's
 * tolerance where it measures small differences.
 * @returns {{ twice?: { first: number, again: number }, noisy: boolean }}
 */
export function noiseOf(topic, results) {
  const { cell, id, tolerance } = topic.control;
  const repeats = [id, `${id} again`].map((name) => results.get(`${cell}/${name}`)?.repeats ?? []);
  if (repeats.some((list) => list.length === 0)) return { noisy: true };
  const [first, again] = repeats.map((list) => estimate(list, topic.location).value);
  const same = ratio(repeats[1], repeats[0], topic.location).value;
  const noisy = tolerance === undefined ? same < 0.9 || same > 1.1 : Math.abs(first - again) > tolerance;
  return { twice: { first, again }, noisy };
}

/** The topic with its control case added: one that is the same as another. */
export function withControl(topic) {
  const { cell, id } = topic.control;
  const twice = (cases) => {
    const one = cases.find((each) => each.id === id);
    const variant = one.variant?.name ? { ...one.variant, name: `${one.variant.name}-again` } : one.variant;
    return [...cases, { ...one, variant, imports: id, id: `${id} again`, role: "control" }];
  };
  return {
    ...topic,
    cells: topic.cells.map((each) => (each.name === cell ? { ...each, cases: twice(each.cases) } : each)),
  };
}

/** The topic as a gate run needs it: our own cases, the limits, and peers that a gate names. */
export function onlyGated(topic) {
  const needed = ({ role, gated }) => role !== "peer" || gated;
  return { ...topic, cells: topic.cells.map((cell) => ({ ...cell, cases: cell.cases.filter(needed) })) };
}
