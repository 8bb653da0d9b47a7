import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Bench } from "../cli/support/bench.ts";
import type { Ended, Running } from "../cli/support/basis-process.ts";
import { layOutRelease } from "../cli/support/release.ts";
import { pidsIn, until } from "../crash/support/processes.ts";
import { databaseOf } from "../harness/database-state.ts";

let bench: Bench;
let env: Record<string, string>;
const workers: Running[] = [];
const releases = new Map<string, string>();

beforeAll(() => {
  bench = new Bench();
  const { url, schema } = databaseOf(bench.base);
  const address = new URL(url);
  address.searchParams.set("schema", schema);
  env = { BASIS_STORE: address.href };
  for (const version of ["1.4.2", "1.5.0", "2.0.0"])
    releases.set(version, layOutRelease(join(bench.base, version), { version }));
});
afterAll(() => {
  for (const worker of workers) worker.kill("SIGKILL");
  bench.remove();
});

const of = (version: string) => ({ env, entry: releases.get(version)! });
const file = (name: string): string => join(bench.base, name);
const lines = (name: string): number => readFileSync(file(name), "utf8").trimEnd().split("\n").length;

/** A turn that runs one call to its end, and then one that never ends by itself. */
function script(): string {
  const call = (text: string) => ({ calls: [{ name: "run", input: { argv: ["sh", "-c", text] } }] });
  const slow = call(`echo $$ >> ${file("slow")}; exec sleep 60`);
  return bench.script([call(`echo ran >> ${file("done")}`), slow, { text: "after it" }]);
}

async function work(version: string, model: string): Promise<Running> {
  const options = ["--lease", "2s", "--drain", "1s", "--approve", "always", "--allow-run"];
  const worker = bench.start(["worker", ...options, "--model", model], of(version));
  workers.push(worker);
  await worker.saw("serves");
  return worker;
}

const queue = (version: string): Running =>
  bench.start(["run", "--queue", "--allow-run", "--json", "go on"], of(version));

/** Nothing of the turn is there twice or in half. */
async function expectWhole(ended: Ended, turns: number): Promise<void> {
  expect(ended).toMatchObject({ code: 0 });
  expect([lines("done"), lines("slow")]).toEqual([turns, turns]);
  const types = ended.events().map(({ type }) => type);
  expect(types.filter((type) => type === "run_started" || type === "run_finished")).toHaveLength(2);
  const { stdout } = await bench.run(["sessions", "show", ended.event("run_started").session, "--json"], {
    env,
  });
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((row) => JSON.parse(row) as { readonly kind: string });
  expect(rows.map(({ kind }) => kind).join(" ")).toBe("user assistant tool assistant tool assistant");
}

test("a turn of an older release goes on at a later one of its line; at another line never, until its own is back", async () => {
  const model = script();
  const old = await work("1.4.2", model);
  const first = queue("1.4.2");
  await until("the slow call runs", () => pidsIn(file("slow")).length === 1);
  old.kill("SIGKILL");
  const later = await work("1.5.0", model);
  const resumed = await first.ended;
  await expectWhole(resumed, 1);
  expect(resumed.event("run_started").data).toMatchObject({ version: "1.4.2" });
  expect(resumed.stdout).toContain('"code":"taken_over"');

  const second = queue("1.5.0");
  await until("the slow call runs again", () => pidsIn(file("slow")).length === 2);
  const next = await work("2.0.0", model);
  later.kill("SIGTERM");
  expect(await later.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("handed back: ") });
  await next.saw("queued with another release; it waits for one that fits");
  const own = queue("2.0.0");
  await until("the new release runs its own turn", () => pidsIn(file("slow")).length === 3);
  next.kill("SIGKILL");
  await work("1.4.2", model);
  await expectWhole(await second.ended, 3);
  await work("2.0.0", model);
  expect(await own.ended).toMatchObject({ code: 0 });
  expect([lines("done"), lines("slow")]).toEqual([3, 3]);
});

test("a release of the engine that this one does not know is refused at start with the remedy", async () => {
  const fakes = { "@dbos-inc/dbos-sdk": "6.0.0" };
  const entry = layOutRelease(join(bench.base, "other engine"), { version: "1.4.2", fakes });
  const refused = await bench.run(["queue", "list"], { env, entry });
  expect(refused).toMatchObject({ code: 5 });
  expect(refused.stderr).toMatch(
    /5\.3 or a later 5, and 6\.0\.0 is installed: npm install @dbos-inc\/dbos-sdk@5\n$/,
  );
  expect(await bench.run(["queue", "list"], of("1.4.2"))).toMatchObject({ code: 0 });
});
