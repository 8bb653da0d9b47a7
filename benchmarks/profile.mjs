// Where the time of one case goes: `node benchmarks/profile.mjs turn "in memory/ours"`. Run `npm run bench` once before.
import { mkdirSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { repository, work } from "./harness/places.mjs";
import { openCase, warmUp } from "./harness/sampling.mjs";
import { median } from "./harness/statistics.mjs";
import { topics } from "./topics/index.mjs";

const SHOWN = 40;
const BATCHES = 20;
const BATCH_MS = 100;
const SAMPLING_US = 100;
/** The profiler's own frames, and waiting. */
const NOT_OURS = new Set(["(idle)", "(program)", "(root)", "dispatch", "post"]);

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
const subject = await openCase(one, work);
const sampling = { ...topic.sampling, sampleMs: BATCH_MS };
await warmUp(subject, sampling);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: SAMPLING_US });
const self = new Map();
const total = new Map();
const places = new Map();
for (let batch = 0; batch < BATCHES; batch += 1) {
  await subject.subject.ready?.(subject.count);
  await session.post("Profiler.start");
  const start = performance.now();
  await subject.subject.run(subject.count);
  subject.samples.push(((performance.now() - start) * 1000) / subject.count);
  addTimes((await session.post("Profiler.stop")).profile);
}
await subject.subject.close?.();
print();
process.exit();

function print() {
  const all = [...self.values()].reduce((sum, ms) => sum + ms, 0);
  const percent = (ms) => `${((100 * ms) / all).toFixed(1).padStart(5)} %`;
  const list = (title, map, shown) => {
    process.stdout.write(`\n${title}\n`);
    for (const [name, ms] of [...map].toSorted((left, right) => right[1] - left[1]).slice(0, shown))
      process.stdout.write(`${percent(ms)}  ${name}\n`);
  };
  process.stdout.write(`${median(subject.samples).toFixed(1)} µs an operation while profiled\n`);
  list("by the package that was at work (what Node does for it included)", places);
  list("functions alone", self, SHOWN);
  list("functions with what they called", total, SHOWN);
}

/** Adds milliseconds of each function alone, with what it called (once when it calls itself), and by place. */
function addTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  for (const [at, id] of samples.entries()) {
    const frames = [];
    for (let node = id; node !== undefined; node = parents.get(node)) frames.push(byId.get(node));
    if (NOT_OURS.has(frames[0].functionName)) continue;
    const ms = timeDeltas[at] / 1000;
    const names = frames.map(nameOf);
    add(self, names[0], ms);
    for (const name of new Set(names)) add(total, name, ms);
    add(places, frames.map(placeOf).find(Boolean) ?? names[0], ms);
  }
}

function add(map, name, ms) {
  map.set(name, (map.get(name) ?? 0) + ms);
}

/** The path below the repository, or undefined. */
function pathOf({ url }) {
  const path = url.startsWith("file:") ? fileURLToPath(url) : url;
  return path.startsWith(repository) ? path.slice(repository.length) : undefined;
}

function placeOf(frame) {
  return /^(packages|apps|benchmarks\/node_modules)\/(@[^/]+\/)?[^/]+|^benchmarks/.exec(
    pathOf(frame) ?? "",
  )?.[0];
}

function nameOf(frame) {
  const { functionName, url, lineNumber } = frame;
  const place = pathOf(frame) ?? url;
  return `${functionName || "(anonymous)"}${place && ` ${place}:${lineNumber + 1}`}`;
}
