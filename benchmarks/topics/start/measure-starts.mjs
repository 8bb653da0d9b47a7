import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layOutHost } from "../imports/lay-out.mjs";

const PROCESSES = 15;
const ANSWER = "It listens on port 8080.";
/** Loaded first in each process: at its end, what it used of the processor, all threads together. */
const METER = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeFileSync(process.env.BENCHMARK_CPU_FILE, String((user + system) / 1000));
});
`;

/** Counts the CPU of fresh processes, the cases in turn. */
export async function measureStarts(topic, { quick, work, onProgress }) {
  const scene = await setScene(work);
  const cases = topic.cells.flatMap(({ name, cases: those }) =>
    those.map((one) => ({ id: one.imports ?? one.id, key: `${name}/${one.id}`, samples: [] })),
  );
  const processes = quick ? 3 : PROCESSES;
  for (let round = 0; round < processes; round += 1) {
    onProgress(`${topic.name} ${round + 1}/${processes}`);
    for (const one of cases) startOnce(one, scene);
  }
  return new Map(
    cases.map(({ key, samples, problem }) => [
      key,
      problem ? { repeats: [], problem } : { repeats: [samples] },
    ]),
  );
}

async function setScene(work) {
  const program = await layOutHost(work);
  const folder = join(work, "start");
  const workspace = join(folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const files = {
    meter: join(folder, "meter.cjs"),
    empty: join(folder, "empty.mjs"),
    cpu: join(folder, "cpu"),
  };
  const script = join(folder, "script.json");
  writeFileSync(files.meter, METER);
  writeFileSync(files.empty, "");
  writeFileSync(script, JSON.stringify({ schema: 1, agents: { main: { rounds: [{ text: ANSWER }] } } }));
  const ask = ["--model", `scripted:${script}`, "what does it listen on?"];
  const lines = new Map([
    ["bare", { args: [files.empty], says: "" }],
    ["version", { args: [program, "--version"], says: "." }],
    ["help", { args: [program, "--help"], says: "basis run" }],
    ["ephemeral", { args: [program, "run", "--ephemeral", ...ask], says: ANSWER }],
    ["run", { args: [program, "run", ...ask], says: ANSWER }],
  ]);
  return { workspace, files, lines, data: join(folder, "data") };
}

function startOnce(one, { workspace, files, lines, data }) {
  if (one.problem) return;
  const { args, says } = lines.get(one.id);
  rmSync(data, { recursive: true, force: true });
  const env = { ...process.env, BASIS_DATA_DIR: data, BENCHMARK_CPU_FILE: files.cpu };
  const options = { cwd: workspace, encoding: "utf8", env, input: "" };
  const done = spawnSync(process.execPath, ["--require", files.meter, ...args], options);
  if (done.status === 0 && done.stdout.includes(says))
    one.samples.push(Number(readFileSync(files.cpu, "utf8")));
  else one.problem = `ended with ${done.status}: ${done.stderr.slice(0, 300)}`;
}
