import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Bench } from "./support/bench.ts";

const much = "word ".repeat(2500);

function openBench(): Bench {
  const bench = new Bench();
  onTestFinished(() => bench.remove());
  return bench;
}

it("sessions compact shortens what a session sends and keeps what was said; forks at every side have their context", async () => {
  const bench = openBench();
  const model = bench.script(
    [1, 2, 3, 4, 5].map((turn) => ({ text: `answer ${turn} ${turn < 4 ? much : ""}` })),
    { compaction: { rounds: [{ text: "They counted.", usage: { inputTokens: 40, outputTokens: 4 } }] } },
  );
  const basis = (...argv: readonly string[]) => bench.run([...argv]);
  const first = await basis("run", "one", "--model", model, "--json");
  const member = first.event("run_started").data.agent;
  const id = first.event("run_started").session;
  await basis("run", "two", "--session", member, "--model", model);
  await basis("run", "three", "--session", member, "--model", model);

  const nothing = await basis("sessions", "compact", member, "--keep", "3", "--model", model);
  expect(nothing).toMatchObject({ code: 1, stdout: "" });
  expect(nothing.stderr).toContain("nothing to summarise");
  const look = await basis("sessions", "compact", member, "--keep", "1", "--dry-run", "--json");
  expect(JSON.parse(look.stdout)).toMatchObject({ dry_run: true, summarised: 4, kept: 2 });
  const done = await basis("sessions", "compact", member, "--keep", "2messages", "--model", model, "--json");
  expect(done.code).toBe(0);
  const told = JSON.parse(done.stdout) as { tokens_before: number; tokens_after: number };
  expect(told).toMatchObject({ dry_run: false, summarised: 4, kept: 2, usage: { input_tokens: 40 } });
  expect(told.tokens_after).toBeLessThan(told.tokens_before / 2);

  const shown = (await basis("sessions", "show", member)).stdout.split("\n");
  expect(shown[1]).toMatch(/^ +0 {2}user +one$/);
  expect(shown[7]).toMatch(/^ +6 {2}summary +\[What came before/);
  await basis("fork", member, "--at", "6", "--as", "before");
  await basis("fork", member, "--as", "behind");
  const on = await basis("run", "four", "--session", "behind", "--model", model);
  expect(on.stdout).toBe("answer 4 \n");
  const dry = (await basis("fork", "before", "--dry-run", "--as", "x", "--json")).stdout;
  const { estimated_tokens: whole } = JSON.parse(dry) as { estimated_tokens: number };
  expect(whole).toBeGreaterThan(told.tokens_after * 2);
  const html = (await basis("sessions", "export", member, "--html")).stdout;
  expect(html).toContain("summary of the first 4");
  expect(html).toContain("answer 1");
  const { stdout: log } = await basis("events", id);
  expect(log.split("\n").filter((line) => line.includes('"compaction_')).length).toBe(2);
});

it("a turn compacts at BASIS_COMPACT_AT, and says so; a kill in the middle of a summary leaves the session as it was", async () => {
  const bench = openBench();
  const model = bench.script([{ text: much }, { text: "two" }], {
    compaction: { rounds: [{ text: "They counted." }] },
  });
  const member = (await bench.run(["run", "one", "--model", model, "--json"])).event("run_started").data
    .agent;
  await bench.run(["fork", member, "--as", "killed"]);
  const env = { BASIS_COMPACT_AT: "2000" };
  const wrong = await bench.run(["run", "x", "--model", model], { env: { BASIS_COMPACT_AT: "soon" } });
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain("BASIS_COMPACT_AT takes a whole number of at least 1000, not 'soon'");
  const ended = await bench.run(["run", "two", "--session", member, "--model", model], { env });
  expect(ended).toMatchObject({ code: 0, stdout: "two\n" });
  expect(ended.stderr).toMatch(/compacted +2 messages summarised, 1 kept/);

  let asked = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const server = createServer(() => asked()).listen(0, "127.0.0.1");
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const before = (await bench.run(["sessions", "show", "killed", "--json"])).stdout;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const hanging = bench.start(
    ["sessions", "compact", "killed", "--keep", "1messages", "--model", "openai-compatible/m"],
    { env: { BASIS_BASE_URL: url } },
  );
  await isAsked;
  hanging.kill("SIGKILL");
  await hanging.ended;
  expect((await bench.run(["sessions", "show", "killed", "--json"])).stdout).toBe(before);
});
