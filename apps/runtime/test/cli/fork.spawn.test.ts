import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";

let bench: Bench;
let session: string;
let member: string;
beforeAll(async () => {
  bench = new Bench();
  const read = { calls: [{ name: "read", input: { path: "README.md" } }] };
  const ended = await bench.run(["run", "go on", "--json", "--model", bench.script([read, { text: "ok" }])]);
  const started = ended.event("run_started");
  session = started.session;
  member = started.data.agent;
});
afterAll(() => bench.remove());

const data = (ended: Ended): Record<string, unknown> => JSON.parse(ended.stdout) as Record<string, unknown>;

describe("basis fork", () => {
  it("forks at the end into a member with a name of its own, and says how to go on", async () => {
    const ended = await bench.run(["fork", member]);
    expect(ended.code).toBe(0);
    const name = new RegExp(`^(${member}-\\w{6}): 4 messages, session `).exec(ended.stdout)?.[1];
    expect(ended.stderr).toContain(`basis run --session ${name} "PROMPT"`);
  });

  it("takes the point by --at, the name by --as, the source by its id", async () => {
    const ended = await bench.run(["fork", session, "--at", "1", "--as", "reviewer", "--json"]);
    expect(ended.code).toBe(0);
    expect(data(ended)).toMatchObject({
      member: "reviewer",
      source_session: session,
      message_count: 1,
      replayed: false,
    });
    const next = bench.script([[{ when: { session: "reviewer" }, text: "as the reviewer" }]]);
    const run = await bench.run(["run", "go on", "--session", "reviewer", "--model", next]);
    expect(run.stdout).toBe("as the reviewer\n");
  });

  it("quotes a name of two words where it says how to go on", async () => {
    const ended = await bench.run(["fork", member, "--at", "1", "--as", "two words"]);
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^two words: 1 message, session /),
    });
    expect(ended.stderr).toContain(`basis run --session 'two words' "PROMPT"`);
  });

  it("refuses with 1 what would split a call from its result, naming the legal points", async () => {
    const ended = await bench.run(["fork", member, "--at", "2", "--as", "split"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/split a call from its result.* 1 and 3/);
  });

  it("gives the structured refusal with --json", async () => {
    const ended = await bench.run(["fork", member, "--at", "2", "--as", "split", "--json"]);
    expect(ended.code).toBe(1);
    expect(data(ended)).toMatchObject({
      kind: "fork_boundary",
      reason: "split",
      at: 2,
      nearest_before: 1,
      nearest_after: 3,
    });
  });

  it("refuses a session that waits for an approval, and takes what is settled of it", async () => {
    const write = { calls: [{ name: "write", input: { path: "new.txt", content: "" } }] };
    const argv = ["run", "go on", "--approve", "park", "--json", "--model", bench.script([write])];
    const parked = (await bench.run(argv)).event("run_started").session;
    const refusal = await bench.run(["fork", parked]);
    expect(refusal).toMatchObject({ code: 1, stdout: "" });
    expect(refusal.stderr).toContain("running\n");
    expect(refusal.stderr).toContain("--at settled");
    const settled = await bench.run(["fork", parked, "--at", "settled", "--json"]);
    expect(settled.code).toBe(0);
    expect(data(settled)).toMatchObject({ source_session: parked, message_count: 1 });
  });

  it("refuses a name that is taken with 1, and the member stays who it was", async () => {
    await bench.run(["fork", member, "--as", "taken"]);
    const ended = await bench.run(["fork", member, "--as", "taken", "--json"]);
    expect(ended.code).toBe(1);
    expect(data(ended)).toMatchObject({ kind: "member_already_exists" });
    expect((await bench.run(["sessions", "list", "--json"])).stdout.match(/"taken"/g)).toHaveLength(1);
  });

  it("refuses a name that no member may have with 2", async () => {
    for (const name of ["  ", "a\u001B[2Jb", "a\nb", "a\u202Eb"]) {
      const ended = await bench.run(["fork", member, "--as", name]);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
    }
  });

  it("refuses an unknown source with 5 and says where to look", async () => {
    const ended = await bench.run(["fork", "nobody"]);
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toContain("there is no session 'nobody'; see 'basis sessions list'");
  });

  it("refuses an unknown operation with 1", async () => {
    const id = "01a22d14-a807-7136-a296-9ed5ce37ed65";
    const ended = await bench.run(["fork", "--recover", id, "--json"]);
    expect(ended.code).toBe(1);
    expect(data(ended)).toMatchObject({ kind: "fork_operation_not_found" });
  });

  it("recovers a fork that is seated already without changing it", async () => {
    const forked = data(await bench.run(["fork", member, "--as", "seated", "--json"]));
    const ended = await bench.run(["fork", "--recover", String(forked["operation_id"]), "--json"]);
    expect(ended.code).toBe(0);
    expect(data(ended)).toEqual({ ...forked, replayed: true });
  });

  it.each([
    ["neither source nor operation", []],
    ["both a source and an operation", ["main", "--recover", "x"]],
    ["a point for a recovery", ["--recover", "x", "--at", "3"]],
    ["a point that is none", ["main", "--at", "-1"]],
  ])("refuses %s with 2", async (_name, argv) => {
    expect(await bench.run(["fork", ...argv])).toMatchObject({ code: 2, stdout: "" });
  });

  it("tells in the source's log what was forked and what was refused", async () => {
    await bench.run(["fork", member, "--as", "told"]);
    await bench.run(["fork", member, "--at", "2", "--as", "split"]);
    const types = (await bench.run(["events", member])).events().map(({ type }) => type);
    expect(types.slice(-3)).toEqual(["fork_committed", "fork_provisioned", "fork_failed"]);
  });
});
