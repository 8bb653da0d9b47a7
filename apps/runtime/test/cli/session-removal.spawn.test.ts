import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SilentServer } from "../crash/support/silent-server.ts";
import type { Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";
import { daysAgo, writeSession } from "./support/store-of-old.ts";
import { Terminal } from "./support/terminal.ts";

interface View {
  readonly session: string;
  readonly member: string;
}

const json = (ended: Ended): Record<string, unknown> => JSON.parse(ended.stdout) as Record<string, unknown>;
const names = async (bench: Bench): Promise<readonly string[]> =>
  (JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as View[]).map(
    ({ member }) => member,
  );
const shown = async (bench: Bench, name: string): Promise<string> =>
  (await bench.run(["sessions", "show", name, "--json"])).stdout;

describe("basis sessions rm", () => {
  let bench: Bench;
  let member: string;
  let session: string;
  beforeAll(async () => {
    bench = new Bench();
    const spawn = { calls: [{ name: "spawn", input: { input: "look" } }] };
    const model = bench.script([spawn, { text: "ok" }], { child: { rounds: [{ text: "I looked." }] } });
    const started = (await bench.run(["run", "go", "--approve", "always", "--json", "--model", model])).event(
      "run_started",
    );
    ({ session } = started);
    member = started.data.agent;
    await bench.run(["fork", member, "--at", "3", "--as", "branch"]);
  });
  afterAll(() => bench.remove());

  it("--dry-run tells what goes and what stays, and deletes nothing", async () => {
    const ended = await bench.run(["sessions", "rm", member, "--dry-run"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(
      new RegExp(
        `^would go: ${member} ${session} \\(4 messages, ready\\)\nstays: branch .* a fork .*\nstays: .*--with-children`,
      ),
    );
    const view = json(await bench.run(["sessions", "rm", session, "--with-children", "--dry-run", "--json"]));
    expect(view).toMatchObject({ dry_run: true, kept_children: [], kept_forks: [{ member: "branch" }] });
    expect(view["sessions"]).toHaveLength(2);
    expect(await names(bench)).toHaveLength(3);
  });

  it("deletes nothing without a yes: without a terminal it says how (2)", async () => {
    const ended = await bench.run(["sessions", "rm", member], { stdin: "yes\n" });
    expect(ended).toMatchObject(refused(2, "--yes", "--dry-run"));
    expect(await names(bench)).toHaveLength(3);
  });

  it("asks at a terminal for the whole word, and takes anything else as no (1)", async () => {
    const terminal = new Terminal(bench, ["sessions", "rm", member]);
    await terminal.saw("Type yes");
    terminal.type("y\r");
    expect(await terminal.ended).toBe(1);
    expect(terminal.output).toContain("nothing was deleted");
    expect(await names(bench)).toHaveLength(3);
  });

  it("refuses an agent's program (5): it would delete what the agent did", async () => {
    const ended = await bench.run(["sessions", "rm", member, "--yes"], { env: { BASIS_LINEAGE: "1" } });
    expect(ended).toMatchObject(refused(5, "an agent's run started this command", "sessions rm"));
    const pruned = await bench.run(["sessions", "prune", "--yes"], { env: { BASIS_LINEAGE: "1" } });
    expect(pruned).toMatchObject(refused(5, "sessions prune"));
  });

  it("refuses an unknown session (5) and too many words (2)", async () => {
    expect(await bench.run(["sessions", "rm", "nobody", "--yes"])).toMatchObject(refused(5, "no session"));
    expect(await bench.run(["sessions", "rm", "a", "b"])).toMatchObject(
      refused(2, "unexpected argument 'b'"),
    );
    expect(await bench.run(["sessions", "rm"])).toMatchObject(refused(2, "SESSION is missing"));
  });

  it("refuses a session in which another process runs a turn (5)", async () => {
    const server = await SilentServer.open();
    const env = { BASIS_BASE_URL: server.url };
    const running = bench.start(["run", "wait", "--session", "branch", "--model", "openai-compatible/any"], {
      env,
    });
    await server.asked();
    const ended = await bench.run(["sessions", "rm", "branch", "--yes"]);
    expect(ended).toMatchObject(refused(5, "runs a turn in it"));
    running.kill("SIGINT");
    await running.ended;
    server.close();
    expect(await names(bench)).toContain("branch");
  });

  it("deletes the session with its events and frees its name; its fork stays whole", async () => {
    const before = await shown(bench, "branch");
    const ended = await bench.run(["sessions", "rm", member, "--with-children", "--yes"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^gone: .*\ngone: .*\nstays: branch/);
    expect(await names(bench)).toEqual(["branch"]);
    expect(await shown(bench, "branch")).toBe(before);
    expect((await bench.run(["events", session])).stdout).toBe("");
    const again = await bench.run(["sessions", "rm", session, "--yes"]);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("deleted already") });
    await bench.run(["fork", "branch", "--as", member]);
    expect(await names(bench)).toEqual(["branch", member]);
  });

  it("of two processes that delete the same, one does, and the other says what it found", async () => {
    const both = await Promise.all(
      [1, 2].map(() => bench.run(["sessions", "rm", member, "--yes", "--json"])),
    );
    const codes = both.map(({ code }) => code);
    expect(codes).toContain(0);
    for (const code of codes) expect([0, 5]).toContain(code);
    expect(await names(bench)).toEqual(["branch"]);
  });
});

describe("basis sessions prune", () => {
  let bench: Bench;
  beforeAll(() => void (bench = new Bench()));
  afterAll(() => bench.remove());

  it("frees what no session reaches, an hour after it was found; forks keep theirs", async () => {
    await daysAgo(bench, 3, async (state) => {
      const id = await writeSession(state, "old", { messages: 600 });
      const { forks } = state.store;
      const { claim } = await forks.commit({
        source: { member: "old", sessionId: id },
        at: 200,
        child: { member: "branch", role: "main", labels: {} },
        requestDigest: "r",
        request: {},
        claim: { owner: "test", ttlMs: 1000 },
      });
      await forks.seat({ claim: claim! });
      await state.store.setState(id, { state: "tombstone" });
    });
    const branch = await shown(bench, "branch");
    const first = await bench.run(["sessions", "prune", "--yes"]);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("freed: 0 messages") });
    expect(first.stdout).toContain("unreached, and freed by a prune in an hour: 400 messages");
    const preview = await bench.run(["sessions", "prune", "--dry-run", "--json"]);
    expect(json(preview)).toMatchObject({ dry_run: true, freed: { rows: 0 }, waiting: { rows: 400 } });
    expect(await shown(bench, "branch")).toBe(branch);
  });

  it("deletes sessions older than told, and no other", async () => {
    await daysAgo(bench, 40, async (state) => {
      await writeSession(state, "ancient", { messages: 3 });
      const busy = await writeSession(state, "parked", { messages: 3 });
      await state.store.adjustWork(busy, { pendingApprovals: 1 });
    });
    await bench.run(["run", "hello", "--model", bench.script([{ text: "hi" }])]);
    const dry = json(await bench.run(["sessions", "prune", "--older-than", "30d", "--dry-run", "--json"]));
    expect(dry["sessions"]).toHaveLength(1);
    expect(await bench.run(["sessions", "prune", "--older-than", "30d"])).toMatchObject(
      refused(2, "goes: ancient", "--yes"),
    );
    const ended = await bench.run(["sessions", "prune", "--older-than", "4w", "--yes"]);
    expect(ended.stdout).toMatch(/^gone: ancient .*\nfreed: /);
    const left = await names(bench);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining(["branch", "parked"]));
  });

  it("leaves a session alone of which a turn is queued; once it goes, its turns go with it", async () => {
    await daysAgo(bench, 40, async (state) => {
      await writeSession(state, "queued", { messages: 3 });
    });
    const waiting = bench.start(["run", "--queue", "--session", "queued", "more"]);
    await waiting.saw("queued as");
    waiting.kill("SIGINT");
    const [, turn = ""] = /queued as (\S+)/.exec((await waiting.ended).stderr)!;
    const prune = (): Promise<Ended> => bench.run(["sessions", "prune", "--older-than", "30d", "--yes"]);
    const over = async (): Promise<string> =>
      (await bench.run(["queue", "list", "--state", "cancelled"])).stdout;
    expect((await prune()).stdout).not.toContain("gone: queued");
    expect(await bench.run(["cancel", turn])).toMatchObject({ code: 0 });
    expect(await over()).toContain(turn);
    expect((await prune()).stdout).toContain("gone: queued");
    expect(await over()).not.toContain(turn);
  });

  it.each([["30"], ["0d"], ["-1d"], ["1y"], ["99999999d"]])("refuses --older-than %s (2)", async (given) => {
    expect(await bench.run(["sessions", "prune", `--older-than=${given}`])).toMatchObject(
      refused(2, "takes days or weeks"),
    );
  });

  it(
    "killed at any moment leaves every session readable, and goes on the next time",
    { timeout: 60_000 },
    async () => {
      const place = new Bench();
      await daysAgo(place, 3, async (state) => {
        const id = await writeSession(state, "old", { messages: 8000, length: 400 });
        const { claim } = await state.store.forks.commit({
          source: { member: "old", sessionId: id },
          at: 100,
          child: { member: "branch", role: "main", labels: {} },
          requestDigest: "r",
          request: {},
          claim: { owner: "test", ttlMs: 1000 },
        });
        await state.store.forks.seat({ claim: claim! });
        await state.store.setState(id, { state: "tombstone" });
        await state.store.upkeep!.collect();
      });
      const branch = await shown(place, "branch");
      for (const afterMs of [260, 320, 380, 440]) {
        const running = place.start(["sessions", "prune", "--yes"]);
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        running.kill("SIGKILL");
        await running.ended;
        expect(await shown(place, "branch")).toBe(branch);
      }
      const both = await Promise.all([1, 2].map(() => place.run(["sessions", "prune", "--yes", "--json"])));
      expect(both.map(({ code }) => code)).toEqual([0, 0]);
      const last = json(await place.run(["sessions", "prune", "--dry-run", "--json"]));
      expect(last).toMatchObject({ freed: { rows: 0 }, waiting: { rows: 0 } });
      expect(await shown(place, "branch")).toBe(branch);
      place.remove();
    },
  );
});
