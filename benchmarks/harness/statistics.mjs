/** @typedef {number[][]} Repeats Samples by repeat. */
/** @typedef {{ value: number, low: number, high: number }} Estimate With its 95 % interval. */

const DRAWS = 1000;

/** The middle value, or the mean of the two in the middle. */
export function median(values) {
  const sorted = values.toSorted((left, right) => left - right);
  const at = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[at] : (sorted[at - 1] + sorted[at]) / 2;
}

/** Median, minimum and 99th percentile of all samples. */
export function summary(repeats) {
  const all = repeats.flat().toSorted((left, right) => left - right);
  return {
    median: median(all),
    min: all[0],
    p99: all[Math.min(all.length - 1, Math.floor(all.length * 0.99))],
  };
}

/** How a repeat's samples are summed up: in the middle, or by the least. */
const locations = { median, least: (values) => Math.min(...values) };

/**
 * The ratio of two cases: the median over the repeats of the ratio of their medians.
 * @param {"median" | "least"} [location] @returns {Estimate}
 */
export function ratio(of, to, location) {
  return bootstrap([of, to], ([left, right]) => left / right, location);
}

/** What one case costs beyond another. @returns {Estimate} */
export function difference(of, to, location) {
  return bootstrap([of, to], ([left, right]) => left - right, location);
}

/** The slope of cost over length, both logarithmic: 0 does not grow, 1 is proportional. @returns {Estimate} */
export function slope(of, to, lengths) {
  return bootstrap([of, to], ([long, short]) => Math.log(long / short) / Math.log(lengths[0] / lengths[1]));
}

/** One case's own value. @returns {Estimate} */
export function estimate(of, location) {
  return bootstrap([of], ([value]) => value, location);
}

/**
 * A statistic of each repeat's medians, and the spread that resampling repeats and samples gives it. The draws are
 * seeded: the same samples have the same interval.
 */
function bootstrap(cases, statistic, location = "median") {
  const located = locations[location];
  const length = Math.min(...cases.map((repeats) => repeats.length));
  const random = seeded(length * 7919 + cases.length);
  const draw = (list) => list.map(() => list[Math.floor(random() * list.length)]);
  const over = (indexes, take) =>
    median(indexes.map((index) => statistic(cases.map((repeats) => located(take(repeats[index]))))));
  const indexes = Array.from({ length }, (_, index) => index);
  const value = over(indexes, (samples) => samples);
  const drawn = Array.from({ length: DRAWS }, () => over(draw(indexes), draw)).toSorted((a, b) => a - b);
  return { value, low: drawn[Math.floor(DRAWS * 0.025)], high: drawn[Math.floor(DRAWS * 0.975)] };
}

/** Numbers in [0, 1) by mulberry32. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
