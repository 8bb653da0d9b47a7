import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { HookSpec } from "../../src/node/index.ts";
import { nodeHook, type Fixture } from "./workspace-fixture.ts";

/** The program of a worker that notes its pid and does `on` for every question. */
const program = (on: string): string => `
  const fs = require("node:fs");
  fs.appendFileSync("pids", process.pid + "\\n");
  const print = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
  print({ hook_worker: 1 });
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\\n");
    rest = lines.pop();
    for (const line of lines) on(JSON.parse(line));
  });
  const seen = [];
  function on({ id, deadline_ms, request }) {
    const answer = (facts) => print({ id, ...facts });
    ${on}
  }`;

/** A spec of such a worker; `on` is code that sees `id`, `deadline_ms`, `request`, `seen`, `print` and `answer`. */
export function workerHook(on: string, facts: Partial<HookSpec> = {}): HookSpec {
  return nodeHook(program(on), { mode: "worker", ...facts });
}

/** The pids that the workers of a fixture have noted. */
export async function pidsOf({ workspace }: Fixture): Promise<number[]> {
  const text = await readFile(join(workspace, "pids"), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean).map(Number);
}
