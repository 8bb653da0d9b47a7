// Where the time of one case goes: `node benchmarks/profile.mjs turn "in memory/ours"`. Run `npm run bench` once before.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { repository, work } from "./harness/places.mjs";
import { runJob } from "./harness/run-job.mjs";
import { topics } from "./topics/index.mjs";

const SHOWN = 40;
const SAMPLING_US = 100;

const [topicName, key] = process.argv.slice(2);
const topic = topics.find(({ name }) => name === topicName);
const keys = topic?.cells.flatMap(({ name, cases }) => cases.map(({ id }) => `${name}/${id}`)) ?? [];
const cell = topic?.cells.find(({ name }) => key?.startsWith(`${name}/`));
const one = cell?.cases.find(({ id }) => key === `${cell.name}/${id}`);
if (!one?.file) {
  const wanted = topic
    ? `one of ${keys.join(" · ")}`
    : `a topic (${topics.map(({ name }) => name).join(", ")})`;
  process.stderr.write(`profile.mjs TOPIC "CELL/CASE" takes ${wanted}\n`);
  process.exit(2);
}

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
await topic.prepare?.(work);
const nodeArguments = ["--cpu-prof", `--cpu-prof-dir=${work}`, `--cpu-prof-interval=${SAMPLING_US}`];
const sampling = { ...topic.sampling, samples: 60 };
const answer = await runJob({ cases: [one], sampling, work, nodeArguments });
const [{ samples, problem }] = answer.cases;
if (problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
const [file] = readdirSync(work).filter((name) => name.endsWith(".cpuprofile"));
print(JSON.parse(readFileSync(join(work, file), "utf8")), samples);

function print(profile, samples) {
  const { self, total } = times(profile);
  const all = [...self.values()].reduce((sum, ms) => sum + ms, 0);
  const percent = (ms) => `${((100 * ms) / all).toFixed(1).padStart(5)} %`;
  const sorted = samples.toSorted((left, right) => left - right);
  process.stdout.write(
    `${sorted[sorted.length >> 1].toFixed(1)} ${topic.unit} an operation while profiled\n\n`,
  );
  process.stdout.write("   self    with callees\n");
  for (const [name, ms] of top(self))
    process.stdout.write(`${percent(ms)}  ${percent(total.get(name))}  ${name}\n`);
  process.stdout.write("\nwith callees\n");
  for (const [name, ms] of top(total)) process.stdout.write(`${percent(ms)}  ${name}\n`);
}

/** Milliseconds of each function alone, and with what it called (counted once when it calls itself). */
function times({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const self = new Map();
  const total = new Map();
  const add = (map, name, ms) => map.set(name, (map.get(name) ?? 0) + ms);
  for (const [at, id] of samples.entries()) {
    const ms = timeDeltas[at] / 1000;
    const seen = new Set();
    for (let node = id; node !== undefined; node = parents.get(node)) {
      const name = nameOf(byId.get(node).callFrame);
      if (name === "(idle)" || name === "(program)") break;
      if (seen.size === 0) add(self, name, ms);
      if (!seen.has(name)) add(total, name, ms);
      seen.add(name);
    }
  }
  return { self, total };
}

function nameOf({ functionName, url, lineNumber }) {
  const path = url.startsWith("file:") ? fileURLToPath(url) : url;
  const place = path.startsWith(repository) ? path.slice(repository.length) : path;
  return place ? `${functionName || "(anonymous)"} ${place}:${lineNumber + 1}` : functionName;
}

function top(map) {
  return [...map].toSorted((left, right) => right[1] - left[1]).slice(0, SHOWN);
}
