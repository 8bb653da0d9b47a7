import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDriver } from "@mobkit/session-sqlite";
import { faultyDriver } from "@mobkit/session-sqlite/testing";
import { expect, onTestFinished, test } from "vitest";
import type { PendingEvent } from "../../src/events/event-log.ts";
import { openSqliteEventLog } from "../../src/events/sqlite-event-log.ts";

const notice = (text: string, session = "s"): PendingEvent => ({
  v: 1,
  ts: "2026-01-01T00:00:00.000Z",
  session,
  type: "notice",
  data: { text },
});

function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "basis-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "events.db");
}

/** A log whose commits fail as the list says, from the first append on. */
async function logWith(...faults: readonly ("before" | "after" | "none")[]) {
  let commits = 0;
  const fail = (when: "before" | "after") => (step: { sql: string }) => {
    if (step.sql !== "COMMIT") return;
    if (when === "before") commits += 1;
    if (faults[commits - 1] === when) throw Object.assign(new Error("disk I/O error"), { errcode: 10 });
  };
  const driver = faultyDriver(await loadDriver(), { before: fail("before"), after: fail("after") });
  return openSqliteEventLog(driver, newFile());
}

const texts = (events: Iterable<{ data: unknown; seq?: number | undefined }>): readonly unknown[] =>
  [...events].map(({ seq, data }) => `${seq} ${(data as { text: string }).text}`);

test("two processes number one session without a gap", async () => {
  const [driver, path] = [await loadDriver(), newFile()];
  const [one, two] = [openSqliteEventLog(driver, path), openSqliteEventLog(driver, path)];
  one.append([notice("a")]);
  two.append([notice("b"), notice("x", "t")]);
  one.append([notice("c")]);
  expect(texts(two.read("s"))).toEqual(["1 a", "2 b", "3 c"]);
  expect(texts(two.read("s", { after: 1 }))).toEqual(["2 b", "3 c"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  one.close();
  two.close();
});

test("long logs are read in pages, both ways", async () => {
  const log = await logWith();
  log.append(Array.from({ length: 1203 }, (_, index) => notice(`${index}`)));
  const forward = [...log.read("s")].map(({ seq }) => seq!);
  expect(forward).toEqual(Array.from({ length: 1203 }, (_, index) => index + 1));
  expect([...log.readBack("s")].map(({ seq }) => seq!)).toEqual(forward.toReversed());
  log.close();
});

// S27
test("a batch whose commit happened and did not answer is not written twice", async () => {
  const log = await logWith("after");
  const [first, second] = [notice("a"), notice("b")];
  expect(() => log.append([first])).toThrow("disk I/O error");
  expect(texts(log.append([first, second]))).toEqual(["1 a", "2 b"]);
  expect(texts(log.read("s"))).toEqual(["1 a", "2 b"]);
  log.close();
});

test("a batch whose commit did not happen is written when it is given again", async () => {
  const log = await logWith("before");
  const first = notice("a");
  expect(() => log.append([first])).toThrow("disk I/O error");
  expect(texts(log.append([first]))).toEqual(["1 a"]);
  expect(texts(log.read("s"))).toEqual(["1 a"]);
  log.close();
});

test("replies that are lost one after the other leave each event once", async () => {
  const log = await logWith("after", "after", "none");
  const batch = [notice("a"), notice("b"), notice("c")];
  expect(() => log.append(batch.slice(0, 1))).toThrow("disk");
  expect(() => log.append(batch.slice(0, 2))).toThrow("disk");
  expect(texts(log.append(batch))).toEqual(["1 a", "2 b", "3 c"]);
  expect(texts(log.read("s"))).toEqual(["1 a", "2 b", "3 c"]);
  log.close();
});
