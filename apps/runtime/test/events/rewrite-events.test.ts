import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDriver } from "@mobkit/session-sqlite";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { EventChange, PendingEvent } from "../../src/events/event-log.ts";
import { memoryEventLog } from "../../src/events/memory-event-log.ts";
import type { SyncEventLog } from "../../src/events/sync-event-log.ts";
import { openSqliteEventLog } from "../../src/events/sqlite-event-log.ts";

const SECRET = "CANARY-7f3a";

function notice(text: string, session = "s"): PendingEvent {
  return { v: 1, ts: "2026-01-01T00:00:00.000Z", session, type: "notice", data: { text } };
}

function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "basis-events-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "events.db");
}

const hide: EventChange = (event) =>
  JSON.parse(JSON.stringify(event).replaceAll(SECRET, "[redacted]")) as typeof event;

const bytesHold = (path: string): boolean =>
  [path, `${path}-wal`].some((file) => existsSync(file) && readFileSync(file).includes(SECRET));

const kinds: readonly (readonly [string, () => Promise<SyncEventLog>])[] = [
  ["memory", async () => memoryEventLog()],
  ["sqlite", async () => openSqliteEventLog(await loadDriver(), newFile())],
];

test.each(kinds)(
  "S32: events with a text are rewritten where they stand, with the log in %s",
  async (_kind, open) => {
    const log = await open();
    log.append([notice("a"), notice(SECRET), notice("b", "t"), notice(`x ${SECRET}`, "t"), notice("c")]);
    const before = [...log.readAll(0)].map(({ place }) => place);
    expect(log.rewrite([SECRET], hide, { dryRun: true })).toEqual({ found: 2, changed: 2 });
    expect(log.rewrite(["nowhere", SECRET], () => undefined)).toEqual({ found: 2, changed: 0 });
    expect(log.rewrite(["nowhere", SECRET], hide)).toEqual({ found: 2, changed: 2 });
    expect(log.rewrite([SECRET], hide)).toEqual({ found: 0, changed: 0 });
    expect(log.purge()).toBe(true);
    const texts = (events: Iterable<unknown>): unknown[] =>
      [...events].map((event) => (event as { data: { text: string } }).data.text);
    expect(texts(log.read("s"))).toEqual(["a", "[redacted]", "c"]);
    expect(texts([...log.readAll(0)].map(({ event }) => event))).toEqual([
      "a",
      "[redacted]",
      "b",
      "x [redacted]",
      "c",
    ]);
    expect([...log.readAll(0)].map(({ place }) => place)).toEqual(before);
    expect(log.append([notice("d")])).toMatchObject([{ seq: 4 }]);
    log.close();
  },
);

test("S32: whatever was written and deleted, a purge leaves nothing of the text, and a second process goes on", async () => {
  const driver = await loadDriver();
  const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(6000)), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.boolean(), (lengths, forgets) => {
      const path = newFile();
      const [log, other] = [openSqliteEventLog(driver, path), openSqliteEventLog(driver, path)];
      lengths.forEach((length, at) =>
        log.append([notice(`${at} ${SECRET} ${"x".repeat(length)} ${SECRET}`, `s${at % 3}`)]),
      );
      if (forgets) log.forget(["s1"]);
      const places = [...other.readAll(0)].map(({ place }) => place);
      log.rewrite([SECRET], hide);
      expect(log.purge()).toBe(true);
      other.append([notice("on")]);
      expect([...other.readAll(0)].map(({ place }) => place).slice(0, -1)).toEqual(places);
      log.close();
      other.close();
      expect(bytesHold(path)).toBe(false);
    }),
    { numRuns: 20 },
  );
});

test("S32: a reader that stays keeps the replaced bytes alive, and the purge says so", async () => {
  const driver = await loadDriver();
  const path = newFile();
  const log = openSqliteEventLog(driver, path, 100);
  log.append([notice(SECRET)]);
  const reader = driver.open(path, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM event").get();
  log.rewrite([SECRET], hide);
  expect(log.purge()).toBe(false);
  reader.exec("COMMIT");
  expect(log.purge()).toBe(true);
  reader.close();
  log.close();
  expect(bytesHold(path)).toBe(false);
});
