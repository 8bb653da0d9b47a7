import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { loadDriver } from "../src/index.ts";
import { StoreConnection } from "../src/store-connection.ts";
import { isReadOnlyMedia, readOnlyMedia } from "../src/store-file.ts";
import { leasedSession, temporaryPath, temporaryStore } from "./temporary-store.ts";

// S30
test("media are read-only when the system says so of the directory, not when a user merely may not write", () => {
  const answers = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  expect(isReadOnlyMedia("/media/store.db", answers("EROFS"))).toBe(true);
  expect(isReadOnlyMedia("/media/store.db", answers("EACCES"))).toBe(false);
  expect(isReadOnlyMedia(temporaryPath())).toBe(false);
  expect(isReadOnlyMedia("store.db", (place) => expect(place).toBe(dirname("store.db")))).toBe(false);
});

// S30
test("an immutable file is read without a log or locks beside it", async () => {
  const path = temporaryPath();
  const store = await temporaryStore();
  await leasedSession(store);
  await store.backup(path);
  const driver = await loadDriver();
  const connection = new StoreConnection({
    path,
    driver,
    readOnly: true,
    immutable: true,
    busyTimeoutMs: 10,
  });
  expect(
    await connection.read(() => connection.statement("SELECT count(*) AS n FROM session").get()),
  ).toEqual({
    n: 1,
  });
  expect([`${path}-wal`, `${path}-shm`].filter((file) => existsSync(file))).toEqual([]);
  connection.close();
});

test("the refusal says what to do", () => {
  const refusal = readOnlyMedia("/media/store.db", "open it with readOnly");
  expect(refusal).toMatchObject({ code: "read_only_media", details: { path: "/media/store.db" } });
  expect(refusal.message).toContain("open it with readOnly");
});
