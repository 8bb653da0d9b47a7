import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, totalmem } from "node:os";
import { join } from "node:path";
import { benchmarks } from "./places.mjs";

/** The machine a run was made on. */
export function machine() {
  return {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    load: loadavg()[0],
  };
}

/** Adds one line to the topic's file: everything that was measured, so that a later reading needs no second run. */
export function keepResults(topic, record) {
  const folder = join(benchmarks, "results");
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${topic.name}.jsonl`), `${JSON.stringify(record)}\n`);
}

/** Writes the tables of this run as Markdown, in place of those of the run before. */
export function keepMarkdown(text) {
  mkdirSync(join(benchmarks, "results"), { recursive: true });
  writeFileSync(join(benchmarks, "results", "latest.md"), text);
}
