import { describe, expect, onTestFinished, test } from "vitest";
import { LiveSource } from "../../console/stream/live-source.ts";
import { openTestHost, type StateKind, type TestHost } from "../harness/test-host.ts";
import { ToldHost } from "../campaigns/told-host.ts";
import { storedEvents } from "../harness/stored-events.ts";
import { HttpClient, TOKEN } from "../http/support/http-client.ts";
import { linesInOrder } from "../../console/state/time-order.ts";
import { redact } from "../redaction/redacting.ts";
import { comparable, linesOf, modelOf } from "./support/random-log.ts";

const times = { pollMs: 20, beatMs: 60 };

interface Page {
  readonly source: LiveSource;
  /** Cuts the connection that the page listens on. */
  cut(): void;
}

async function setUp(state: StateKind = "memory"): Promise<{
  host: TestHost;
  client: HttpClient;
  open: (token?: string) => Promise<Page>;
}> {
  const turns = Array.from({ length: 6 }, (_, index) => ({ text: `answer ${index}` }));
  const host = await openTestHost({ state, agents: { main: turns } });
  const client = new HttpClient(host, { times });
  return { host, client, open: (token) => openPage(client, token) };
}

async function openPage(client: HttpClient, token = TOKEN): Promise<Page> {
  const { host, port } = await client.address;
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  let stream = new AbortController();
  const source = new LiveSource({
    token,
    signal: gone.signal,
    fetch: (path, init) => {
      if (path === "/events") stream = new AbortController();
      const signals = [init.signal!, ...(path === "/events" ? [stream.signal] : [])];
      return fetch(`http://${host}:${port}${path}`, { ...init, signal: AbortSignal.any(signals) });
    },
  });
  return { source, cut: () => stream.abort(new Error("cut")) };
}

async function turn(client: HttpClient, params: Record<string, string>): Promise<string> {
  const { run, session } = await client.call("runs/start", { prompt: "go", ...params });
  await client.call("runs/wait", { run });
  return session as string;
}

/** Waits until the page shows what the log holds, and nothing else. */
async function showsAll({ source }: Page, { state }: TestHost, sessions: readonly string[]): Promise<void> {
  const events = (await Promise.all(sessions.map((session) => storedEvents(state, session)))).flat();
  const wanted = comparable(modelOf(linesOf(events)));
  await expect.poll(() => comparable(source.recording.model), { timeout: 5000 }).toEqual(wanted);
}

// S37, S38
describe("a page that follows a host", () => {
  test("shows what was there, what comes, and sessions that begin while it looks", async () => {
    const { host, client, open } = await setUp();
    const first = await turn(client, { member: "first" });
    const page = await open();
    await showsAll(page, host, [first]);
    expect(page.source.status).toEqual({ kind: "live" });
    await turn(client, { session: first });
    const second = await turn(client, { member: "second" });
    await showsAll(page, host, [first, second]);
    expect([...page.source.listed.values()].map(({ member }) => member)).toEqual(
      expect.arrayContaining(["first", "second"]),
    );
  });

  test("misses and repeats nothing when its connection is cut again and again", async () => {
    const { host, client, open } = await setUp();
    const session = await turn(client, { member: "writer" });
    const page = await open();
    for (let cuts = 0; cuts < 3; cuts += 1) {
      await expect.poll(() => page.source.status.kind).toBe("live");
      const going = turn(client, { session });
      page.cut();
      await going;
      page.source.retry();
    }
    await showsAll(page, host, [session]);
  });

  test("misses and repeats nothing of a busy session when its connection is cut fifty times", async () => {
    const host = await ToldHost.start();
    onTestFinished(() => host.stop());
    const gone = new AbortController();
    onTestFinished(() => gone.abort());
    const root = new URL(host.url).origin;
    const { signal } = gone;
    const source = new LiveSource({ token: "told", signal, fetch: (path, init) => fetch(root + path, init) });
    for (let cut = 0; cut < 50; cut += 1) {
      await expect.poll(() => source.status.kind, { interval: 2 }).toBe("live");
      host.tell(7);
      host.cut();
      host.tell(5);
      await expect.poll(() => source.status.kind, { interval: 2 }).toBe("lost");
      source.retry();
    }
    await expect.poll(() => source.recording.model.tally).toMatchObject({ events: host.told, broken: 0 });
    expect([...source.recording.model.sessions.values()].map(({ seen }) => seen)).toEqual([[[1, host.told]]]);
  });

  // S32
  test("lets go of what was redacted while it looks, and while its connection was lost", async () => {
    const { host, client, open } = await setUp("sqlite");
    const session = await turn(client, { member: "writer" });
    await turn(client, { session });
    const page = await open();
    await showsAll(page, host, [session]);
    for (const text of ["answer 0", "answer 1"]) {
      const holds = (): boolean => linesInOrder(page.source.recording.store).join("").includes(text);
      expect(holds()).toBe(true);
      if (text === "answer 1") page.cut();
      await redact(host, session, { texts: [text] });
      await expect.poll(holds, { timeout: 5000 }).toBe(false);
      await showsAll(page, host, [session]);
      expect(holds()).toBe(false);
    }
  });

  test("reads with a session its children and what it was forked from, however many others are newer", async () => {
    const { host, client, open } = await setUp();
    const source = await turn(client, { member: "source" });
    const fork = { source_member_id: "source", agent_identity: "branch", role: "main", at: 1 };
    const { session_id: branch } = await client.call("mobkit/fork_member", fork);
    await turn(client, { session: branch });
    const { id: child } = await host.state.store.createSession({ member: "child", role: "main" });
    await turn(client, { session: child });
    host.state.events.emit({ session: source }, "child_started", {
      call_key: `${source}:m:0`,
      tool_call_id: "c",
      tool_name: "spawn",
      child_session: child,
      agent: "child",
      model: { provider: "p", id: "m" },
    });
    for (let each = 0; each < 30; each += 1)
      await host.state.store.createSession({ member: `later${each}`, role: "main" });
    const page = await open();
    await expect.poll(() => page.source.listed.size).toBe(33);
    expect(page.source.recording.model.sessions.size).toBe(0);
    page.source.want(branch);
    await showsAll(page, host, [source, branch, child]);
  });

  test("says that its token is not known, and what to do", async () => {
    const { open } = await setUp();
    const { source } = await open("of-another-start-0123456789abcdefghijkl");
    await expect
      .poll(() => source.status)
      .toMatchObject({
        kind: "refused",
        remedy: expect.stringContaining("basis serve"),
      });
  });
});
