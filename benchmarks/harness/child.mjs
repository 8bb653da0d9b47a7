// Measures the cases of one job in this fresh process and answers over IPC. Started by run-job.mjs.
import { cpuUsage, memoryUsage } from "node:process";
import { openCase, takeSample, warmUp } from "./sampling.mjs";

process.once("message", async (job) => {
  process.send(await measure(job));
  process.disconnect();
});

async function measure(job) {
  const { open, failed } = await openAll(job);
  for (const one of open) await warmUp(one, job.sampling);
  globalThis.gc?.();
  await sampleAll(open, job.sampling);
  globalThis.gc?.();
  const { rss, heapUsed } = memoryUsage();
  for (const one of open) await one.subject.close?.();
  const { user, system } = cpuUsage();
  const cases = [...failed, ...open.map(({ id, samples, cpu, count }) => ({ id, samples, cpu, count }))];
  return { cases, process: { rss, heapUsed, cpuMs: (user + system) / 1000 } };
}

async function openAll({ cases, work }) {
  const open = [];
  const failed = [];
  for (const one of cases) {
    try {
      open.push(await openCase(one, work));
    } catch (error) {
      failed.push({ id: one.id, problem: error instanceof Error ? error.stack : String(error) });
    }
  }
  return { open, failed };
}

/** The cases in turn, another one first in each round. */
async function sampleAll(open, sampling) {
  for (let round = 0; round < sampling.samples; round += 1)
    for (let at = 0; at < open.length; at += 1) await takeSample(open[(at + round) % open.length], sampling);
  for (const one of open) if (one.subject.once) one.samples.push(await one.subject.once());
}
