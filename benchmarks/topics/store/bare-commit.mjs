import { rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "./bodies.mjs";
import { driverWithSync } from "./timed-sync.mjs";

/** What the store's own connection is set to. */
const SETTINGS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "temp_store = MEMORY",
  "journal_size_limit = 67108864",
];
const FILLED = 120_000;

/**
 * The limits: a row inserted and committed in WAL mode with FULL, by the store's driver, into a table as full as the
 * store's; or two statements, a message and its session's new length, as any durable transcript needs them.
 * @param variant `{ name, statements: 1 | 2, syncUs? }`
 */
export async function open({ name, statements, syncUs }, { work }) {
  const path = join(work, `bare-${name}-${process.pid}.db`);
  const connection = (await driverWithSync(syncUs)).open(path);
  for (const setting of SETTINGS) connection.exec(`PRAGMA ${setting}`);
  connection.exec(schemas[statements]);
  const insert = connection.prepare("INSERT INTO message (session, seq, body) VALUES (?, ?, ?)");
  const update =
    statements === 2 ? connection.prepare("UPDATE session SET len = ? WHERE key = ?") : undefined;
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
        update?.run(seq, 1);
        commit.run();
      }
    },
    close() {
      connection.close();
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    },
  };
}

const schemas = {
  1: "CREATE TABLE message (log INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, body TEXT) STRICT",
  2: `CREATE TABLE session (key INTEGER PRIMARY KEY, len INTEGER NOT NULL) STRICT;
    INSERT INTO session VALUES (1, 0);
    CREATE TABLE message (log INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, body TEXT, UNIQUE (session, seq)) STRICT`,
};
