import { describe, expect, it } from "vitest";
import { eventSchema } from "../../src/events/event-schema.ts";
import { openTestHost, stateKinds, type StateKind, type TestHost } from "../harness/test-host.ts";
import { HttpClient, type HttpOptions } from "./support/http-client.ts";
import { framesOf, Seen } from "./support/stream-client.ts";
import { storedEvents } from "../harness/stored-events.ts";

const times = { pollMs: 20, beatMs: 60 };

async function setUp(state: StateKind = "memory", options: HttpOptions = { times }) {
  const host = await openTestHost({
    state,
    agents: { main: [{ text: "one" }, { text: "two" }, { text: "3" }] },
  });
  return { host, client: new HttpClient(host, options) };
}

/** Follows a path until `isEnough`, then hangs up. */
async function follow(
  client: HttpClient,
  path: string,
  isEnough: (seen: Seen) => boolean,
  { seen = new Seen(), lastEventId }: { seen?: Seen; lastEventId?: string | undefined } = {},
): Promise<Seen> {
  const hangUp = new AbortController();
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const response = await client.fetch(path, { headers, signal: hangUp.signal });
  expect(response.status).toBe(200);
  for await (const frame of framesOf(response)) {
    seen.take(frame);
    if (isEnough(seen)) break;
  }
  hangUp.abort();
  return seen;
}

const has =
  (type: string, count = 1) =>
  (seen: Seen) =>
    seen.events.filter((event) => event.type === type).length >= count;

async function turn(client: HttpClient, params: Record<string, string>): Promise<{ session: string }> {
  const { run, session } = await client.call("runs/start", { prompt: "go", ...params });
  await client.call("runs/wait", { run });
  return { session };
}

const notice = (host: TestHost, session: string, text: string): void =>
  host.state.events.emit({ session }, "notice", { text });

// S37
describe.each(stateKinds)("the stream of a session, with the state in %s", (state) => {
  it("gives what is there and what comes, deltas among it in their place", async () => {
    const { host, client } = await setUp(state);
    const { session } = await turn(client, { member: "writer" });
    const following = follow(client, "/events?session=writer", has("run_finished", 2));
    await turn(client, { session });
    const seen = await following;
    expect(seen.controls[0]).toEqual({ control: "open", last_id: "0" });
    expect(seen.numbered).toEqual(await storedEvents(host.state, session));
    expect(seen.ids).toEqual(seen.numbered.map(({ seq }) => String(seq)));
    seen.events.forEach((event) => eventSchema.parse(event));
    const types = seen.events.map(({ type }) => type);
    expect(types.lastIndexOf("assistant_delta")).toBeLessThan(types.lastIndexOf("assistant_message"));
    expect(types.lastIndexOf("assistant_delta")).toBeGreaterThan(types.lastIndexOf("user_message"));
  });

  it("goes on behind an id, which the header gives in place of the query", async () => {
    const { host, client } = await setUp(state);
    const { session } = await turn(client, {});
    const all = await storedEvents(host.state, session);
    const path = `/events?session=${session}`;
    expect((await follow(client, `${path}&after=2`, has("run_finished"))).events).toEqual(all.slice(2));
    const again = await follow(client, `${path}&after=2`, has("run_finished"), { lastEventId: "3" });
    expect(again.events).toEqual(all.slice(3));
  });

  it("is refused behind the log's end, for a session that is not there, and for what is no id", async () => {
    const { client } = await setUp(state);
    const { session } = await turn(client, {});
    const asked = async (query: string): Promise<unknown> => {
      const response = await client.fetch(`/events?${query}`);
      return [response.status, await response.json()];
    };
    expect(await asked(`session=${session}&after=1000`)).toMatchObject([409, { error: "events_rewound" }]);
    expect(await asked("after=7.0123456789ab")).toMatchObject([409, { error: "events_rewound" }]);
    expect(await asked("session=none")).toMatchObject([404, { error: "not_found" }]);
    for (const after of ["-1", "x", "1.5", "1e3", "99999999999999999999"])
      expect(await asked(`session=${session}&after=${after}`)).toMatchObject([400, { error: "bad_id" }]);
    expect(await asked("after=3")).toMatchObject([400, { error: "bad_id" }]);
  });
});

describe.each(stateKinds)("the stream of a whole server, with the state in %s", (state) => {
  it("begins at the log's end, or with everything, and goes on behind any of its ids", async () => {
    const { host, client } = await setUp(state);
    const first = await turn(client, {});
    const live = follow(client, "/events", has("run_finished"));
    const opened = follow(client, "/events", ({ controls }) => controls.length > 0);
    const { last_id: end } = (await opened).controls[0];
    const second = await turn(client, {});
    const sessions = new Set((await live).events.map(({ session }) => session));
    expect(sessions).toEqual(new Set([second.session]));
    const all = [
      ...(await storedEvents(host.state, first.session)),
      ...(await storedEvents(host.state, second.session)),
    ];
    const whole = await follow(client, "/events?after=0", has("run_finished", 2));
    expect(whole.numbered).toEqual(all);
    const late = await follow(client, `/events?after=${end}`, has("run_finished"));
    expect(late.numbered).toEqual(await storedEvents(host.state, second.session));
    for (const [index, lastEventId] of whole.ids.slice(0, -1).entries()) {
      const rest = await follow(
        client,
        "/events",
        ({ numbered }) => numbered.length > all.length - index - 2,
        {
          lastEventId,
        },
      );
      expect(rest.numbered).toEqual(all.slice(index + 1));
    }
  });

  it("ends when the place that a client stands at is gone, also when it was taken again", async () => {
    const { host, client } = await setUp(state);
    notice(host, "kept", "1");
    notice(host, "gone", "2");
    const seen = new Seen();
    const following = follow(client, "/events?after=0", ({ controls }) => controls.length > 1, { seen });
    while (seen.ids.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await host.state.events.forget(["gone"]);
    notice(host, "new", "3");
    await following;
    expect(seen.controls[1]).toMatchObject({ control: "reset" });
    const back = await client.fetch("/events", { headers: { "last-event-id": seen.lastId! } });
    expect(back.status).toBe(409);
    const kept = await follow(client, `/events?after=${seen.ids[0]}`, has("notice"));
    expect(kept.events.map(({ session }) => session)).toEqual(["new"]);
  });
});

describe("a stream", () => {
  it("shows that it lives while nothing comes", async () => {
    const { client } = await setUp();
    expect((await follow(client, "/events", ({ beats }) => beats > 2)).events).toEqual([]);
  });

  it("ends with the server, with all that it still had and the id to go on behind", async () => {
    const { host, client } = await setUp();
    const following = follow(client, "/events", () => false);
    await follow(client, "/events", ({ controls }) => controls.length > 0);
    notice(host, "s", "last");
    client.stop();
    const seen = await following;
    expect(seen.numbered).toMatchObject([{ data: { text: "last" } }]);
    expect(seen.controls.at(-1)).toEqual({ control: "ending", last_id: seen.lastId });
    await client.ended;
  });

  it("is one of 64", async () => {
    const { client } = await setUp();
    const hangUp = new AbortController();
    const open = async () => client.fetch("/events", { signal: hangUp.signal });
    // Kept, since a response that nobody holds is hung up.
    const streams: Response[] = [];
    for (let count = 0; count < 64; count += 1) streams.push(await open());
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await open()).status).toBe(503);
    hangUp.abort();
    while ((await client.fetch("/events")).status === 503)
      await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it("is not what a call over HTTP is sent events by", async () => {
    const { client } = await setUp();
    const { session } = await turn(client, {});
    expect(await client.refusal("events/subscribe", { session })).toMatchObject({
      data: { kind: "no_stream", retry: "never" },
    });
    expect(await client.refusal("events/unsubscribe", { subscription: "x" })).toMatchObject({
      data: { kind: "no_stream" },
    });
  });
});
