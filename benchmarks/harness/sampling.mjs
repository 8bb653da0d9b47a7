import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { benchmarks } from "./places.mjs";

/**
 * @typedef {object} Subject What a case file's `open(variant, { work })` answers.
 * @property {(count: number) => unknown} [run] Performs the operation `count` times; may be asynchronous.
 * @property {(count: number) => unknown} [ready] Untimed, before each sample.
 * @property {() => number | Promise<number>} [once] In place of `run`: one value that is not a time.
 * @property {() => unknown} [close]
 */

/** Longest warm-up of one case, as a multiple of the wanted one. */
const MAX_WARM = 6;

/** @param one `warmCount`: how often it runs at least before it is measured, where much code has to become warm. */
export async function openCase({ id, file, variant, warmCount = 0 }, work) {
  const { open } = await import(pathToFileURL(join(benchmarks, "topics", file)).href);
  /** @type {Subject} */
  const subject = await open(variant, { work });
  return { id, subject, warmCount, count: 1, samples: [], cpu: [] };
}

/** Runs until a batch lasts as long as a sample should and three batches in a row agree within a tenth. */
export async function warmUp(one, { sampleMs, warmMs }) {
  if (!one.subject.run) return;
  const recent = [];
  let spent = 0;
  let ran = 0;
  while (spent < warmMs * MAX_WARM || ran < one.warmCount) {
    const { wallMs: ms } = await timed(one);
    spent += ms;
    ran += one.count;
    if (ms < sampleMs) {
      const factor = ms === 0 ? 10 : Math.min(10, Math.max(1.3, (sampleMs * 1.2) / ms));
      one.count = Math.ceil(one.count * factor);
      continue;
    }
    recent.push(ms / one.count);
    if (recent.length > 3) recent.shift();
    const steady = recent.length === 3 && Math.max(...recent) <= Math.min(...recent) * 1.1;
    if (spent >= warmMs && ran >= one.warmCount && steady) return;
  }
}

/**
 * Adds one sample: microseconds an operation, on the wall and of this process's CPU. A batch that has become too short
 * counts, and the next one is longer.
 */
export async function takeSample(one, { sampleMs }) {
  if (!one.subject.run) return;
  const { wallMs, cpuMs } = await timed(one);
  one.samples.push((wallMs * 1000) / one.count);
  one.cpu.push((cpuMs * 1000) / one.count);
  if (wallMs < sampleMs) {
    one.count = Math.ceil(one.count * Math.min(3, (sampleMs * 1.2) / Math.max(wallMs, 0.1)));
  }
}

async function timed({ subject, count }) {
  await subject.ready?.(count);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await subject.run(count);
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
}
