import { expect, onTestFinished, test } from "vitest";
import type { HostState } from "../../src/store/open-state.ts";
import { databaseProxy } from "../harness/database-proxy.ts";
import { databaseOf, openDatabaseState } from "../harness/database-state.ts";
import { allOf, storedEvents } from "../harness/stored-events.ts";

async function opened(
  name: string,
  options: Parameters<typeof openDatabaseState>[1] = {},
): Promise<HostState> {
  const state = await openDatabaseState(name, { gatherMs: 1, ...options });
  onTestFinished(() => state.close());
  return state;
}

const name = (): string => `events ${process.pid} ${Math.random()}`;

// S37
test("writers on many machines number each session without a gap, and who follows by place misses and repeats nothing", async () => {
  const database = name();
  const writers = await Promise.all([1, 2, 3, 4].map(() => opened(database)));
  const { events } = await opened(database);
  const followed: string[] = [];
  let place = 0;
  const follow = async (): Promise<void> => {
    for await (const { place: next, event } of events.readAll(place)) {
      expect(next).toBeGreaterThan(place);
      place = next;
      followed.push(`${event.session} ${event.seq}`);
    }
  };
  const writing = new AbortController();
  const following = (async () => {
    while (!writing.signal.aborted) await follow();
  })();
  await Promise.all(
    writers.map(async (writer, at) => {
      for (let batch = 0; batch < 40; batch += 1) {
        for (const session of ["a", "b", `own ${at}`].slice(batch % 3))
          writer.events.emit({ session }, "notice", { text: `${at} ${batch}` });
        await writer.events.flush();
      }
    }),
  );
  writing.abort();
  await following;
  await follow();
  expect(new Set(followed).size).toBe(followed.length);
  const sessions = ["a", "b", ...writers.map((_, at) => `own ${at}`)];
  const logs = await Promise.all(sessions.map((session) => storedEvents({ events }, session)));
  for (const log of logs) expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  expect(followed).toHaveLength(logs.flat().length);
  for (const session of sessions) {
    const own = followed.filter((each) => each.startsWith(`${session} `));
    expect(own).toEqual(own.map((_, at) => `${session} ${at + 1}`));
  }
});

// S27
test("a batch whose reply is lost is written once, by whichever try, and the numbers go on", async () => {
  const database = name();
  const proxy = await databaseProxy(databaseOf("").url);
  const limits = { maxConnections: 2, reconnectMs: 200, busyTimeoutMs: 500 };
  const { events } = await opened(database, { url: proxy.url, limits });
  const heard: (number | undefined)[] = [];
  events.listen(({ seq }) => heard.push(seq));
  const say = (text: string): void => events.emit({ session: "s", run: "r" }, "notice", { text });
  say("1");
  expect(await events.flush()).toBe(true);
  proxy.muteNext("runtime_event_append");
  say("2");
  expect(await events.flush()).toBe(true); // sent again, and recognised
  proxy.muteNext("runtime_event_append", { andClose: true });
  say("3");
  expect(await events.flush()).toBe(false); // written, and nobody knows
  say("4");
  proxy.close(false);
  expect(await events.flush()).toBe(true);
  expect(heard).toEqual([1, 2, 3, 4]);
  const log = await storedEvents({ events }, "s");
  expect(log.map(({ seq, data }) => [seq, (data as { text: string }).text])).toEqual([
    [1, "1"],
    [2, "2"],
    [3, "3"],
    [4, "4"],
  ]);
});

test("a log is read in pages either way", async () => {
  const { events } = await opened(name());
  for (let at = 0; at < 1203; at += 1) events.emit({ session: "s" }, "notice", { text: `${at}` });
  await events.flush();
  const forward = (await allOf(events.read("s"))).map(({ seq }) => seq!);
  expect(forward).toEqual(Array.from({ length: 1203 }, (_, at) => at + 1));
  expect((await allOf(events.readBack("s"))).map(({ seq }) => seq!)).toEqual(forward.toReversed());
  expect((await allOf(events.read("s", { after: 1200 }))).map(({ seq }) => seq)).toEqual([1201, 1202, 1203]);
  expect(await events.sessionOf("nobody's")).toBeUndefined();
});
