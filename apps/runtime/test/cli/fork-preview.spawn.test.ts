import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
let session: string;
let member: string;
beforeAll(async () => {
  bench = new Bench();
  const read = {
    calls: [{ name: "read", input: { path: "README.md" } }],
    usage: { inputTokens: 900, outputTokens: 10 },
  };
  const end = { text: "ok", usage: { inputTokens: 1000, outputTokens: 20 } };
  const ended = await bench.run(["run", "go on", "--json", "--model", bench.script([read, end])]);
  const started = ended.event("run_started");
  ({ session } = started);
  member = started.data.agent;
});
afterAll(() => bench.remove());

const data = (ended: Ended): Record<string, unknown> => JSON.parse(ended.stdout) as Record<string, unknown>;
const list = async (): Promise<string> => (await bench.run(["sessions", "list", "--json"])).stdout;

describe("basis fork --dry-run", () => {
  it("tells messages, tokens, cache and how to learn the cost, and writes nothing", async () => {
    const before = await list();
    const log = (await bench.run(["events", member])).stdout;
    const ended = await bench.run(["fork", member, "--as", "reviewer", "--dry-run"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout.split("\n")).toEqual([
      "reviewer would begin with 4 of 4 messages; none is copied, nothing was written",
      "its first request: about 1020 tokens before the prompt, as its provider counted",
      expect.stringContaining("do not count on it (target_lowering_unavailable: "),
      expect.stringContaining("--price IN/CACHED"),
      "",
    ]);
    expect(await list()).toBe(before);
    expect((await bench.run(["events", member])).stdout).toBe(log);
  });

  it("--json tells the same, with the cost where a price was given", async () => {
    const ended = await bench.run(["fork", member, "--at", "1", "--dry-run", "--price", "3/0.30", "--json"]);
    expect(data(ended)).toMatchObject({
      dry_run: true,
      source_session: session,
      message_count: 1,
      source_message_count: 4,
      copied_messages: 0,
      estimated_from: "characters",
      cache_inheritance: { status: "unavailable", reason: "target_lowering_unavailable" },
      first_request_usd: { uncached: expect.any(Number), cached: null },
    });
  });

  it("says what the fork then is", async () => {
    const preview = data(
      await bench.run(["fork", member, "--at", "3", "--as", "same", "--dry-run", "--json"]),
    );
    const fork = data(await bench.run(["fork", member, "--at", "3", "--as", "same", "--json"]));
    const { member: name, message_count, source_session, cache_inheritance } = fork;
    expect(preview).toMatchObject({ member: name, message_count, source_session, cache_inheritance });
  });

  it.each<[string, readonly string[], number, string]>([
    ["between a call and its result", ["--at", "2"], 1, "1 and 3"],
    ["beyond the end", ["--at", "99"], 1, "has 4 messages"],
    ["under a name that is taken", ["--as", "same"], 1, "exists"],
    ["under an encoded name", ["--as", "mk--x"], 2, "mk--"],
    ["at an unknown message", ["--at", "nope"], 1, "nope"],
  ])("refuses a fork %s as the fork does", async (_name, argv, code, why) => {
    const before = await list();
    const preview = await bench.run(["fork", member, ...argv, "--dry-run", "--json"]);
    const fork = await bench.run(["fork", member, ...argv, "--json"]);
    expect(preview).toMatchObject({ code, stderr: expect.stringContaining(why) });
    expect([preview.code, preview.stdout, preview.stderr]).toEqual([fork.code, fork.stdout, fork.stderr]);
    expect(await list()).toBe(before);
  });

  it.each<[string, readonly string[], string]>([
    ["--price without --dry-run", ["x", "--price", "3"], "--price goes with --dry-run"],
    ["a price that is none", ["x", "--dry-run", "--price", "cheap"], "takes a price such as"],
    ["--recover beside", ["--recover", "x", "--dry-run"], "nor --dry-run"],
  ])("refuses %s (2)", async (_name, argv, why) => {
    expect(await bench.run(["fork", ...argv])).toMatchObject(refused(2, why));
  });

  it("refuses an unknown session (5)", async () => {
    expect(await bench.run(["fork", "nobody", "--dry-run"])).toMatchObject(refused(5, "no session 'nobody'"));
  });
});
