import { rmSync } from "node:fs";
import { join } from "node:path";
import { own } from "../../harness/places.mjs";
import { messageOf } from "./bodies.mjs";

let threads = 0;

/**
 * LangGraph's SQLite checkpointer: each step writes a checkpoint whose `messages` channel holds the whole conversation. A
 * fork is the conversation's checkpoint under another thread. It stands on the store's driver, with the setting that the
 * peer's own driver is built with: WAL with NORMAL, so a commit is not synced.
 * @param variant `{ operation: "append" | "fork", length }`
 */
export async function open({ operation, length }, { work }) {
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const { HumanMessage } = await import("@langchain/core/messages");
  const { emptyCheckpoint, uuid6 } = await import("@langchain/langgraph-checkpoint");
  const path = join(work, `langgraph-${operation}-${length}-${process.pid}.db`);
  const database = await openDatabase(path);
  const saver = new SqliteSaver(database);
  const messages = Array.from({ length }, (_, at) => new HumanMessage(messageOf(at).content));
  let step = 0;
  const thread = () => ({ configurable: { thread_id: `thread-${(threads += 1)}`, checkpoint_ns: "" } });
  const put = (config) => {
    step += 1;
    const versions = { messages: step };
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(step),
      channel_values: { messages },
      channel_versions: versions,
    };
    return saver.put(config, checkpoint, { source: "loop", step, parents: {} });
  };
  let config = thread();
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) {
        if (operation === "fork") await put(thread());
        else config = await put(config);
      }
    },
    close() {
      database.close();
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    },
  };
}

/** What the checkpointer asks of its driver. */
async function openDatabase(path) {
  const { loadDriver } = await own("packages/session-sqlite/dist/index.js");
  const connection = (await loadDriver()).open(path);
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA synchronous = NORMAL");
  const bound =
    (method) =>
    (...values) =>
      method(...values.map((value) => value ?? null));
  return {
    exec: (sql) => connection.exec(sql),
    pragma: (sql) => connection.exec(`PRAGMA ${sql}`),
    prepare(sql) {
      const { run, get, all } = connection.prepare(sql);
      return { run: bound(run), get: bound(get), all: bound(all) };
    },
    close: () => connection.close(),
  };
}
