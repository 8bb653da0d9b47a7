import { ratio, summary } from "./statistics.mjs";

/** A topic's measurements. */
export function topicTable(topic, results, { noise, versions }) {
  const header = ["", topic.unit, "min", "p99", "CPU", "ratio to limit", "to best peer"];
  const rows = topic.cells.flatMap((cell) => [
    [cell.basis === "cpu" ? `${cell.name} (ratios of CPU)` : cell.name],
    ...cell.cases
      .filter(({ role }) => role !== "control")
      .map((one) => rowOf(one, { topic, cell, results, versions })),
  ]);
  const { twice } = noise;
  const same = twice
    ? `the same case twice: ${figure(twice.first)} and ${figure(twice.again)} ${topic.unit}`
    : "the control case was not measured";
  const mark = noise.noisy ? " — NOISY, decide nothing by it" : "";
  return { title: topic.title, note: `${same}${mark}`, rows: [header, ...rows] };
}

function rowOf(one, { topic, cell, results, versions }) {
  const version = one.peer && versions(one.peer);
  const name = `  ${one.label}${version ? ` ${version}` : ""}`;
  const { repeats = [], wall = repeats, cpu, problem } = results.get(`${cell.name}/${one.id}`) ?? {};
  if (repeats.length === 0) return [name, `not measured: ${shorten(problem ?? "no samples")}`];
  const { median, min, p99 } = summary(wall);
  const shown = topic.location === "least" ? min : median;
  return [name, ...[shown, min, p99].map(figure), cpuOf(cpu), ...ratiosOf(one, { topic, cell, results })];
}

function cpuOf(cpu) {
  return cpu?.length ? figure(summary(cpu).median) : "";
}

/** To the cell's limit, and for our own cases to its best peer. */
function ratiosOf(one, { topic, cell, results }) {
  const repeats = (id) => results.get(`${cell.name}/${id}`)?.repeats ?? [];
  const to = (id) =>
    repeats(id).length > 0 ? interval(ratio(repeats(one.id), repeats(id), topic.location)) : "";
  const limit = cell.cases.find(({ role }) => role === "limit")?.id;
  const best = bestPeer(one, { cell, results, location: topic.location });
  return [one.role === "limit" ? "1" : to(limit), one.role === "own" ? to(best) : ""];
}

/** The fastest peer that does the same: of the case's own `group`, where the cell has several. */
function bestPeer(own, { cell, results, location }) {
  const value = ({ id }) => {
    const repeats = results.get(`${cell.name}/${id}`)?.repeats ?? [];
    if (repeats.length === 0) return Infinity;
    const { median, min } = summary(repeats);
    return location === "least" ? min : median;
  };
  const measured = cell.cases.filter(
    (one) => one.role === "peer" && one.group === own.group && value(one) < Infinity,
  );
  return measured.toSorted((left, right) => value(left) - value(right))[0]?.id;
}

/** What the gates came to. */
export function gateTable(judged) {
  const header = ["gate", "bound", "aim", "reached", "", "from"];
  const rows = judged.map(({ gate, reached, verdict, noisy }) => {
    const unit = gate.unit ? ` ${gate.unit}` : "";
    const bound = (value) => (value === undefined ? "" : `≤ ${value}${unit}`);
    const aimed = gate.aim !== undefined && reached ? (reached.value <= gate.aim ? " ✓" : " ✗") : "";
    return [
      `${gate.topic}: ${gate.says}`,
      bound(gate.gate),
      bound(gate.aim) + aimed,
      reached ? interval(reached) + unit : "",
      `${marks[verdict]}${noisy ? " (noisy)" : ""}${gate.ofThisMachine ? " · this machine's" : ""}`,
      gate.source,
    ];
  });
  return { title: "Gates", note: "", rows: [header, ...rows] };
}

const marks = {
  met: "✓",
  missed: "✗ missed",
  unsure: "? unsure",
  shown: "",
  "not measured": "– not measured",
};

/** A value with its 95 % interval. */
export function interval({ value, low, high }) {
  return `${figure(value)} [${figure(low)}–${figure(high)}]`;
}

function figure(value) {
  const size = Math.abs(value);
  if (size < 10) return value.toFixed(size < 0.095 ? 3 : 2);
  return size < 1000 ? value.toFixed(1) : Math.round(value).toLocaleString("en-US");
}

function shorten(text) {
  const [first] = text.split("\n");
  return first.length > 120 ? `${first.slice(0, 119)}…` : first;
}
