import { rmSync } from "node:fs";
import { join } from "node:path";
import { own } from "../../harness/places.mjs";
import { messageOf, TAIL } from "./bodies.mjs";

/** The limit of loading the next turn's context: the last rows of a plain table by its index, each parsed. */
export async function open({ length }, { work }) {
  const { loadDriver } = await own("packages/session-sqlite/dist/index.js");
  const path = join(work, `bare-tail-${process.pid}.db`);
  const connection = (await loadDriver()).open(path);
  connection.exec("CREATE TABLE message (seq INTEGER PRIMARY KEY, body TEXT) STRICT");
  const insert = connection.prepare("INSERT INTO message (seq, body) VALUES (?, ?)");
  connection.exec("BEGIN");
  for (let seq = 0; seq < length; seq += 1) insert.run(seq, JSON.stringify(messageOf(seq)));
  connection.exec("COMMIT");
  const last = connection.prepare("SELECT seq, body FROM message WHERE seq >= ? ORDER BY seq");
  return {
    run(count) {
      for (let at = 0; at < count; at += 1) for (const { body } of last.all(length - TAIL)) JSON.parse(body);
    },
    close() {
      connection.close();
      rmSync(path, { force: true });
    },
  };
}
