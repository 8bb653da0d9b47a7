import { spawnSync } from "node:child_process";
import { layOut, peerProject } from "./lay-out.mjs";

const PROCESSES = 15;
const NOTHING = 'import "data:text/javascript,"';

/** Times fresh processes, the cases in turn; a sample is a process's time minus the least that an empty module took. */
export async function measureImports(topic, { quick, work, onProgress }) {
  const project = await layOut(work);
  const cases = topic.cells.flatMap(({ name, cases }) =>
    cases.map((one) => ({ ...one, key: `${name}/${one.id}` })),
  );
  const empty = { code: NOTHING, cwd: project, times: [] };
  const timed = cases.map((one) => ({
    key: one.key,
    code: `import ${JSON.stringify(one.imports ?? one.id)}`,
    cwd: one.role === "own" ? project : peerProject,
    times: [],
  }));
  const processes = quick ? 3 : PROCESSES;
  for (let round = 0; round < processes; round += 1) {
    onProgress(`${topic.name} ${round + 1}/${processes}`);
    for (const one of [empty, ...timed]) startOnce(one);
  }
  const least = Math.min(...empty.times);
  return new Map(timed.map(({ key, times, problem }) => [key, resultOf({ times, problem, least })]));
}

function resultOf({ times, problem, least }) {
  return problem ? { repeats: [], problem } : { repeats: [times.map((ms) => Math.max(0.01, ms - least))] };
}

function startOnce(one) {
  if (one.problem) return;
  const started = performance.now();
  const done = spawnSync(process.execPath, ["--input-type=module", "--eval", one.code], {
    cwd: one.cwd,
    encoding: "utf8",
  });
  if (done.status === 0) one.times.push(performance.now() - started);
  else one.problem = `does not load: ${/\w*Error.*/.exec(done.stderr)?.[0] ?? done.stderr.slice(0, 200)}`;
}
