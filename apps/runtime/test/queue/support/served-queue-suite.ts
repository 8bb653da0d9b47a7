import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pidsIn, until, untilGone } from "../../crash/support/processes.ts";
import type { Running } from "../../cli/support/basis-process.ts";
import { Bench } from "../../cli/support/bench.ts";
import { refused } from "../../cli/support/refused.ts";
import { tokenOptions } from "../../cli/support/waiting.ts";
import { framesOf, Seen } from "../../http/support/stream-client.ts";
import type { StoreOf } from "./queued-runs-suite.ts";

const onlyFor = (word: string) => ({ when: { contains: word } });

/** A GIF of one dot. */
const PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** A server that leaves its turns to workers (SERVER.md). */
export function servedQueueSuite(storeOf: StoreOf): void {
  let bench: Bench;
  let env: Readonly<Record<string, string>>;
  let started: Running[];
  beforeEach(() => {
    bench = new Bench();
    env = storeOf(bench);
    started = [];
  });
  afterEach(() => {
    for (const process of started) process.kill("SIGKILL");
    bench.remove();
  });
  const start = (...argv: readonly string[]): Running => {
    const process = bench.start(argv, { env });
    started.push(process);
    return process;
  };

  async function serve() {
    const server = start("serve", "--http", "127.0.0.1:0", "--queue", "--allow-run");
    const [origin, token] = (await server.line(/^http:\/\/\S+$/m)).trim().split("/#token=") as [
      string,
      string,
    ];
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const call = async (method: string, params: object = {}): Promise<any> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const response = await fetch(`${origin}/rpc`, { method: "POST", headers, body });
      const answer = (await response.json()) as { result?: unknown; error?: unknown };
      return answer.result ?? answer.error;
    };
    const follow = async (session: string): Promise<Seen> => {
      const seen = new Seen();
      for await (const frame of framesOf(await fetch(`${origin}/events?session=${session}`, { headers }))) {
        seen.take(frame);
        if (seen.events.at(-1)?.type === "run_finished") break;
      }
      return seen;
    };
    /** Takes up to `most` frames behind what a client has seen last, on a connection of its own. */
    const goOn = async (session: string, seen: Seen, most: number): Promise<void> => {
      const last = seen.lastId === undefined ? {} : { "last-event-id": seen.lastId };
      const cut = new AbortController();
      const asked = { headers: { ...headers, ...last }, signal: cut.signal };
      let left = most;
      for await (const frame of framesOf(await fetch(`${origin}/events?session=${session}`, asked))) {
        seen.take(frame);
        if (seen.events.at(-1)?.type === "run_finished" || (left -= 1) === 0) break;
      }
      cut.abort();
    };
    /** What every session's users said, in the order of the log, once so many runs have ended. */
    const saidBySession = async (runs: number): Promise<ReadonlyMap<string, readonly string[]>> => {
      const said = new Map<string, string[]>();
      let left = runs;
      for await (const { data } of framesOf(await fetch(`${origin}/events?after=0`, { headers }))) {
        if (data?.type === "user_message")
          said.set(data.session, [...(said.get(data.session) ?? []), data.data.text]);
        if (data?.type === "run_finished" && (left -= 1) === 0) break;
      }
      return said;
    };
    return { server, call, follow, goOn, saidBySession };
  }

  it("queues what is started, tells its events and its end, and passes answers, stops and cancels on", async () => {
    const slow = join(bench.base, "slow");
    const model = bench.script([
      [
        { ...onlyFor("words"), text: "some words" },
        { ...onlyFor("a value"), terminal: '{"n":"seven"}' },
        { ...onlyFor("a file"), calls: [{ name: "write", input: { path: "note.txt", content: "hello" } }] },
        {
          ...onlyFor("long"),
          calls: [{ name: "run", input: { argv: ["sh", "-c", `echo $$ >> ${slow}; exec sleep 60`] } }],
        },
      ],
      [
        { ...onlyFor("a value"), terminal: '{"n":7}' },
        { ...onlyFor("a file"), text: "written" },
      ],
    ]);
    const { server, call, follow } = await serve();
    const waiting = await call("runs/start", { prompt: "never mind" });
    expect(await call("runs/list")).toEqual({ runs: [waiting] });
    expect(await call("runs/cancel", { run: waiting.run })).toEqual({ run: waiting.run, was_running: true });
    expect(await call("runs/wait", { run: waiting.run })).toMatchObject({ ...waiting, status: "cancelled" });
    expect(await call("runs/stop", { run: waiting.run })).toMatchObject({ was_running: false });
    expect(await call("runs/wait", { run: "nobody" })).toMatchObject({ data: { kind: "unknown_run" } });

    const image = { data: PIXEL, name: "dot.gif" };
    const seen = await call("runs/start", { prompt: "words", images: [image] });
    const named = { prompt: "words", images: [{ ...image, data: "R0lGODdh" }, { data: "bm90IG9uZQ==" }] };
    expect(await call("runs/start", named)).toMatchObject({
      data: { kind: "image_unknown", path: "images.1" },
    });

    const words = await call("runs/start", { prompt: "words", member: "writer" });
    expect(words).toMatchObject({ member: "writer" });
    const following = follow(words.session);
    await start("worker", "--lease", "2s", "--allow-run", "--approve", "park", "--model", model).saw(
      "serves",
    );
    expect(await call("runs/wait", { run: words.run })).toMatchObject({
      ...words,
      status: "completed",
      text: "some words",
      usage: expect.any(Object),
    });
    expect(await call("runs/wait", { run: seen.run })).toMatchObject({ status: "completed" });
    const shown = (await follow(seen.session)).events.find(({ type }) => type === "user_message");
    expect(shown).toMatchObject({ data: { images: [{ media_type: "image/gif", name: "dot.gif" }] } });
    const { events } = await following;
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.map(({ type }) => type)).toContain("assistant_message");

    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const typed = await call("runs/start", { prompt: "a value", output: { schema } });
    expect(await call("runs/wait", { run: typed.run })).toMatchObject({
      status: "completed",
      output: { status: "accepted", attempts: 2, value: { n: 7 }, normalized: false },
    });

    const [, token_file] = tokenOptions(bench);
    /** Starts what waits for an answer, answers it here, and goes on. */
    const allowed = async (prompt: string): Promise<{ run: string }> => {
      const { run, session } = await call("runs/start", { prompt });
      const { status, approval_id: approval } = await call("runs/wait", { run });
      expect(status).toBe("parked");
      await call("approvals/answer", { approval, decision: "allow", token_file });
      return call("runs/start", { session });
    };
    const { run } = await allowed("a file");
    expect(await call("runs/wait", { run })).toMatchObject({ status: "completed", text: "written" });
    for (const [method, ending] of [
      ["runs/cancel", { status: "cancelled" }],
      ["runs/stop", { status: "stopped", stopped_by: "stop" }],
    ] as const) {
      const known = pidsIn(slow).length;
      const long = await allowed("long");
      await until("its program runs", () => pidsIn(slow).length > known);
      expect(await call(method, { run: long.run })).toMatchObject({ was_running: true });
      expect(await call("runs/wait", { run: long.run })).toMatchObject(ending);
      await untilGone(pidsIn(slow));
    }
    server.kill("SIGTERM");
    expect((await server.ended).code).toBe(130);
  });

  it("a client that comes back at another server sees every event once, though a worker dies meanwhile", async () => {
    const slow = join(bench.base, "slow");
    const call = { name: "run", input: { argv: ["sh", "-c", `echo $$ >> ${slow}; exec sleep 60`] } };
    const model = bench.script([
      { calls: [{ name: "read", input: { path: "README.md" } }] },
      { calls: [call] },
      { text: "after it" },
    ]);
    const work = (): Running =>
      start("worker", "--lease", "2s", "--allow-run", "--approve", "always", "--model", model);
    const [one, other] = await Promise.all([serve(), serve()]);
    const { run, session } = await one.call("runs/start", { prompt: "go on" });
    const dying = work();
    await until("the slow call runs", () => pidsIn(slow).length === 1);
    const seen = new Seen();
    for (const server of [one, other, one]) await server.goOn(session, seen, 3);
    dying.kill("SIGKILL");
    work();
    const waiting = other.call("runs/wait", { run });
    for (const server of [other, one, other]) await server.goOn(session, seen, 2);
    await one.goOn(session, seen, Infinity);
    expect(await waiting).toMatchObject({ status: "completed", text: "after it" });
    expect(seen.numbered.map(({ seq }) => seq)).toEqual(seen.numbered.map((_, at) => at + 1));
    const { events } = await other.follow(session);
    expect(seen.numbered).toEqual(events);
    expect(JSON.stringify(events)).toContain('"code":"taken_over"');
  });

  it("loses none of the turns that two servers queue at once, and four workers keep the order in each session", async () => {
    const words = ["one", "two", "three", "four", "five"];
    const model = bench.script(words.map(() => ({ text: "yes" })));
    const servers = await Promise.all([serve(), serve()]);
    const sessions = await Promise.all(
      Array.from({ length: 10 }, async (_, at): Promise<string> => {
        let session: string | undefined;
        for (const [place, prompt] of words.entries())
          ({ session } = await servers[(at + place) % 2]!.call("runs/start", { prompt, session }));
        return session!;
      }),
    );
    const workers = Array.from({ length: 4 }, () => start("worker", "--allow-run", "--model", model));
    const said = await servers[0].saidBySession(sessions.length * words.length);
    expect(said).toEqual(new Map(sessions.map((session) => [session, words])));
    for (const worker of workers) worker.kill("SIGTERM");
    for (const { stderr } of await Promise.all(workers.map(({ ended }) => ended)))
      expect(stderr).not.toMatch(/queue:|failed|busy/);
  });

  it("is refused what workers decide, and for an editor", async () => {
    const { code, stderr } = await bench.run(
      ["serve", "--acp", "--queue", "--approve", "never", "--ephemeral", "--model", "scripted:x.json"],
      { env },
    );
    expect({ code, stdout: "", stderr }).toEqual(
      refused(
        2,
        "--queue does not go with --acp",
        "--approve does not go with --queue: the worker answers as it was started",
        "--ephemeral does not go with --queue",
        "--model scripted:x.json does not go with --queue",
      ),
    );
  });
}
