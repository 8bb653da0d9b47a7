import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";

let bench: Bench;
let session: string;
let member: string;
beforeAll(async () => {
  bench = new Bench();
  const spawn = { text: "I ask.", calls: [{ name: "spawn", input: { input: "look around" } }] };
  const model = bench.script([spawn, { text: "ok" }], { child: { rounds: [{ text: "I looked." }] } });
  const ended = await bench.run(["run", "go on", "--approve", "always", "--json", "--model", model]);
  const started = ended.event("run_started");
  session = started.session;
  member = started.data.agent;
  await bench.run(["fork", member, "--as", "reviewer", "--at", "1"]);
});
afterAll(() => bench.remove());

describe("basis sessions", () => {
  it("list shows every session with member, state and size, oldest first", async () => {
    const ended = await bench.run(["sessions", "list"]);
    expect(ended.code).toBe(0);
    const [head, first, ...rest] = ended.stdout.trimEnd().split("\n");
    expect(head).toMatch(/^MEMBER +ROLE +STATE +MESSAGES +UPDATED +SESSION$/);
    expect(first).toMatch(new RegExp(`^${member} +main +ready +4 .* ${session}$`));
    expect(rest).toHaveLength(2);
  });

  it("list --json names parents", async () => {
    const views = JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as object[];
    expect(views).toMatchObject([
      { session, member, messages: 4, state: "ready" },
      { role: "child", spawned_by: { session, call_id: "call_0_0" } },
      { member: "reviewer", messages: 1, forked_from: { session, at: 1 } },
    ]);
  });

  it("tree draws forks and delegations below where they came from", async () => {
    const { stdout } = await bench.run(["sessions", "tree"]);
    expect(stdout.trimEnd().split("\n")).toEqual([
      `${member} (4 messages)`,
      expect.stringMatching(/^ {2}↳ \S*child-\w{6} \(2 messages\)$/),
      "  ⑂ reviewer (from message 1, 1 message)",
    ]);
  });

  it("tree of one session draws it and what came from it, also as JSON", async () => {
    expect((await bench.run(["sessions", "tree", "reviewer"])).stdout).toMatch(/^⑂ reviewer .*\n$/);
    const { stdout } = await bench.run(["sessions", "tree", "--json"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { depth: 0, session },
      { depth: 1, spawned_by: { session } },
      { depth: 1, member: "reviewer", forked_from: { session, at: 1 } },
    ]);
    expect((await bench.run(["sessions", "tree", "nobody"])).code).toBe(5);
  });

  it("show prints the transcript, by member or id, in lines or as JSON", async () => {
    const { stdout } = await bench.run(["sessions", "show", member]);
    expect(stdout).toContain(`${member}  ready  4 messages  ${session}`);
    expect(stdout).toMatch(
      / 0 +user +go on\n +1 +assistant +I ask\. → spawn\(.*\)\n +2 +tool .*\n +3 .*ok\n/,
    );
    const rows = (await bench.run(["sessions", "show", session, "--json"])).stdout.trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row) as object)).toMatchObject([
      { position: 0, message: { role: "user", content: "go on" } },
      { position: 1, message: { role: "assistant" } },
      { position: 2, message: { role: "tool" } },
      { position: 3 },
    ]);
  });

  it("show refuses an unknown session with 5", async () => {
    expect(await bench.run(["sessions", "show", "nobody"])).toMatchObject({ code: 5, stdout: "" });
  });
});

describe("basis events", () => {
  it("prints the log of a session, and with --after what came later", async () => {
    const whole = (await bench.run(["events", member])).events();
    const later = (await bench.run(["events", session, "--after", "3"])).events();
    expect(whole[0]?.type).toBe("run_started");
    expect(later).toEqual(whole.slice(3));
    expect((await bench.run(["events", session, "--after", "9999"])).stdout).toBe("");
  });

  it("prints the log of a delegated child, which names its parent", async () => {
    const views = JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as {
      member: string;
    }[];
    const [first] = (await bench.run(["events", views[1]!.member])).events();
    expect(first).toMatchObject({ type: "run_started", seq: 1, parent: { session, call_id: "call_0_0" } });
  });

  it.each([["-1"], ["x"], ["1.5"]])("refuses --after %s with 2", async (after) => {
    expect(await bench.run(["events", member, "--after", after])).toMatchObject({ code: 2, stdout: "" });
  });
});
