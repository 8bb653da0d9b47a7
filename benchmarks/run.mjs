// `npm run bench`: measures every topic beside its peers and prints one table. See README.md.
import { mkdirSync, rmSync } from "node:fs";
import { gates } from "./gates.mjs";
import { readArguments } from "./harness/arguments.mjs";
import { installPeers, peerVersion } from "./harness/install-peers.mjs";
import { judge, noiseOf, onlyGated, withControl } from "./harness/judge.mjs";
import { measureTopic } from "./harness/measure-topic.mjs";
import { work } from "./harness/places.mjs";
import { keepMarkdown, keepResults, machine } from "./harness/results-file.mjs";
import { asMarkdown, asText } from "./harness/print-table.mjs";
import { gateTable, topicTable } from "./harness/table.mjs";
import { topics } from "./topics/index.mjs";

const options = readArguments(
  process.argv.slice(2),
  topics.map(({ name }) => name),
);
const problem = installPeers();
const at = machine();
const chosen = topics.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
const head = `Node ${at.node} · ${at.platform} · ${at.cores} × ${at.cpu} · load ${at.load.toFixed(2)}`;
process.stdout.write(`${head}\n\n`);
if (at.load > at.cores / 2) process.stderr.write("! the machine is busy; absolute figures will be high\n");

process.on("exit", removeWork);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
removeWork();
mkdirSync(work, { recursive: true });

const judged = [];
const tables = [];
for (const topic of chosen) judged.push(...(await measured(topic)));
show(gateTable(judged));
keepMarkdown(`# Benchmarks\n\n${head}\n\n${tables.map(asMarkdown).join("\n")}`);
if (options.quick)
  process.stdout.write("\nA quick run: it shows that everything runs and decides nothing.\n");
if (options.gate) process.exitCode = exitCodeOf(judged);

function show(table) {
  tables.push(table);
  process.stdout.write(`${asText(table)}\n`);
}

/** Measures, prints and keeps one topic; answers its judged gates. */
async function measured(topic) {
  const wanted = withControl(options.gate ? onlyGated(topic) : topic);
  await topic.prepare?.(work);
  const measure = topic.measure ?? measureTopic;
  const results = await measure(wanted, { ...options, work, onProgress: progress });
  progress();
  explainMissingPeers(wanted, results);
  const noise = noiseOf(wanted, results);
  show(topicTable(wanted, results, { noise, versions: peerVersion }));
  const own = gates.filter((gate) => gate.topic === topic.name);
  const found = own.map((gate) => ({
    ...judge(gate, results, topic.location),
    noisy: noise.noisy && !gate.steady,
  }));
  keepResults(topic, {
    at: new Date().toISOString(),
    machine: at,
    options,
    noise,
    results: Object.fromEntries(results),
    gates: found,
  });
  return found;
}

/** A peer that isn't there says why it could not be installed, rather than that its import failed. */
function explainMissingPeers(topic, results) {
  for (const { name, cases } of topic.cells) {
    for (const { id, peer } of cases) {
      if (peer === undefined || peerVersion(peer) !== undefined) continue;
      const reason = problem ?? "left out by npm, which could not install it";
      results.set(`${name}/${id}`, { repeats: [], problem: `${peer}: ${reason}` });
    }
  }
}

/** 1: a gate is missed or was not measured. 3: none is, and a noisy topic left one undecided. */
function exitCodeOf(list) {
  const deciding = list.filter(({ gate }) => gate.gate !== undefined && !gate.ofThisMachine);
  const failed = ({ verdict, noisy }) => verdict === "not measured" || (verdict === "missed" && !noisy);
  if (deciding.some(failed)) return 1;
  return deciding.some(({ verdict, noisy }) => verdict === "missed" && noisy) ? 3 : 0;
}

function progress(text = "") {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}

function removeWork() {
  rmSync(work, { recursive: true, force: true });
}
