import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openTestHost } from "../harness/test-host.ts";
import { HttpClient } from "./support/http-client.ts";
import { framesOf, Seen } from "./support/stream-client.ts";
import { allOf } from "../harness/stored-events.ts";

const writer = fileURLToPath(new URL("./support/writing-events.mjs", import.meta.url));
const BATCHES = 150;

/** Follows a path over many connections, each of which ends after a few events, until everything was seen. */
async function followInPieces(client: HttpClient, path: string, isWhole: (seen: Seen) => boolean) {
  const seen = new Seen();
  let connections = 0;
  for (let length = 1; !isWhole(seen); length = (length * 7) % 41) {
    const hangUp = new AbortController();
    const headers = seen.lastId === undefined ? undefined : { "last-event-id": seen.lastId };
    const response = await client.fetch(path, { ...(headers && { headers }), signal: hangUp.signal });
    expect(response.status).toBe(200);
    const until = seen.ids.length + length;
    for await (const frame of framesOf(response)) {
      seen.take(frame);
      if (seen.ids.length >= until || isWhole(seen)) break;
    }
    hangUp.abort();
    connections += 1;
  }
  return { seen, connections };
}

// S37
it("a client that comes back again and again misses and repeats nothing, while two processes write", async () => {
  const host = await openTestHost({ state: "sqlite" });
  const { events } = host.state;
  const client = new HttpClient(host, { times: { pollMs: 20 } });
  const ids: string[] = [];
  for (const member of ["one", "two"])
    ids.push((await host.state.store.createSession({ member, role: "main" })).id);
  const other = spawn(process.execPath, [writer, host.dataDir, ids.join(","), String(BATCHES)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(other, "close");
  await once(other.stdout, "data");
  let length = { all: Infinity, own: Infinity };
  const isWhole = (seen: Seen): boolean => seen.ids.length >= length.all;
  const isWholeOf = (seen: Seen): boolean => seen.ids.length >= length.own;
  const everything = followInPieces(client, "/events?after=0", isWhole);
  const one = followInPieces(client, "/events?session=one", isWholeOf);
  for (let number = 0; number < 100; number += 1) {
    for (const session of ids) events.emit({ session }, "notice", { text: `own ${number}` });
    events.emit({ session: ids[0]! }, "assistant_delta", { text: "delta" });
    await sleep(number % 7);
  }
  expect(await ended).toEqual([0, null]);
  events.emit({ session: ids[0]! }, "notice", { text: "last" });
  length = { all: (await allOf(events.readAll(0))).length, own: (await allOf(events.read(ids[0]!))).length };
  const [all, own] = await Promise.all([everything, one]);
  expect(all.seen.numbered).toEqual((await allOf(events.readAll(0))).map(({ event }) => event));
  expect(own.seen.numbered).toEqual(await allOf(events.read(ids[0]!)));
  expect(Math.min(all.connections, own.connections)).toBeGreaterThan(10);
  // The host's own record is of one writer alone.
  host.events.all.length = 0;
});
