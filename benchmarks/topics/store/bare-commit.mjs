import { rmSync } from "node:fs";
import { join } from "node:path";
import { own } from "../../harness/places.mjs";
import { messageOf } from "./bodies.mjs";

/** What the store's own connection is set to. */
const SETTINGS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "temp_store = MEMORY",
  "journal_size_limit = 67108864",
];
const FILLED = 120_000;

/** The limit: one row inserted and committed in WAL mode with FULL, by the store's driver, into a table as full as the store's. */
export async function open(variant, { work }) {
  const { loadDriver } = await own("packages/session-sqlite/dist/index.js");
  const path = join(work, `bare-${variant.name}-${process.pid}.db`);
  const connection = (await loadDriver()).open(path);
  for (const setting of SETTINGS) connection.exec(`PRAGMA ${setting}`);
  connection.exec(
    "CREATE TABLE message (log INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, body TEXT) STRICT",
  );
  const insert = connection.prepare("INSERT INTO message (session, seq, body) VALUES (?, ?, ?)");
  const [begin, commit] = ["BEGIN IMMEDIATE", "COMMIT"].map((sql) => connection.prepare(sql));
  let seq = 0;
  const body = JSON.stringify(messageOf(0));
  begin.run();
  for (; seq < FILLED; seq += 1) insert.run(1, seq, body);
  commit.run();
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return {
    run(count) {
      for (let at = 0; at < count; at += 1) {
        begin.run();
        insert.run(1, (seq += 1), body);
        commit.run();
      }
    },
    close() {
      connection.close();
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    },
  };
}
