import { runJob } from "./run-job.mjs";

const QUICK = { samples: 5, warmMs: 60 };

/**
 * Measures every cell of a topic, in fresh processes and an order that rotates from repeat to repeat.
 * @returns {Promise<Map<string, { repeats: number[][], wall: number[][], cpu: number[][], problem?: string, processes?: object[] }>>} By `CELL/CASE`; a repeat holds its samples.
 */
export async function measureTopic(topic, { repeats, quick, work, onProgress }) {
  const sampling = { ...topic.sampling, ...(quick && QUICK) };
  const results = new Map();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const jobs = rotate(topic.cells, repeat).flatMap((cell) => jobsOf(cell, repeat));
    for (const [at, { cell, cases }] of jobs.entries()) {
      onProgress(`${topic.name} ${repeat + 1}/${repeats} · ${at + 1}/${jobs.length} ${cell.name}`);
      const answer = await runJob({ cases, sampling, work });
      for (const { id, ...measured } of answer.cases)
        keep(results, { key: `${cell.name}/${id}`, basis: cell.basis }, measured);
      if (answer.process && cases.length === 1)
        noteProcess(results.get(`${cell.name}/${cases[0].id}`), answer.process);
    }
  }
  return results;
}

/** One process a case; one for all of a cell whose cases are paired sample by sample. */
function jobsOf(cell, repeat) {
  const cases = rotate(cell.cases, repeat);
  return cell.together ? [{ cell, cases }] : cases.map((one) => ({ cell, cases: [one] }));
}

/** `repeats` are what is compared: wall time, or CPU where the cell's work never waits. */
function keep(results, { key, basis }, { samples, cpu, problem }) {
  const result = results.get(key) ?? { repeats: [], wall: [], cpu: [] };
  results.set(key, result);
  if (problem !== undefined) result.problem = problem;
  if (samples?.length > 0) {
    result.wall.push(samples);
    if (cpu.length > 0) result.cpu.push(cpu);
    result.repeats.push(basis === "cpu" ? cpu : samples);
  }
}

/** What the process of a case used, where it had one to itself. */
function noteProcess(result, used) {
  result.processes = [...(result.processes ?? []), used];
}

function rotate(list, by) {
  const from = by % list.length;
  return [...list.slice(from), ...list.slice(0, from)];
}
