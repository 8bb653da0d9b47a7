import { statSync } from "node:fs";
import { join } from "node:path";
import { own } from "../../harness/places.mjs";
import { longMessageOf, messageOf, mixedMessageOf } from "./bodies.mjs";
import { copyFixture } from "./fixture.mjs";
import { commitFork, crowding, discard, nextChild, openStore, sourceOf } from "./session-sqlite.mjs";

const FORKS_WEIGHED = 2000;
const HOUR_MS = 3_600_000;

/** What is no time: bytes and commits. @param variant `{ of: "commit" | "whole" | "messages" | "mixed" | "row" | "commits", length? }` */
export async function open(variant, { work }) {
  return { once: () => weighings[variant.of](variant, work) };
}

const weighings = {
  commit: ({ length }, work) => bytesPerFork(work, length, ({ store, source }) => commitFork(store, source)),
  whole: ({ length }, work) =>
    bytesPerFork(work, length, ({ forks, source }) => forks.forkMember(source.member, nextChild())),
  messages: async (_, work) => {
    const { file, json } = await weighFile(work, 1000, longMessageOf);
    return file / json;
  },
  mixed: async (_, work) => {
    const { file, json } = await weighFile(work, 10_000, mixedMessageOf);
    return file / json;
  },
  row: (_, work) => bytesBesideJson(work),
  commits: (_, work) => commitsOfACrowd(work),
};

/** How much the file grows by, divided by the forks that made it grow. */
async function bytesPerFork(work, length, fork) {
  const path = copyFixture(work, "weighed");
  const before = statSync(path).size;
  const { store, forks } = await openStore(path);
  const source = await sourceOf(store, length);
  const one = () => fork({ store, forks, source });
  for (let at = 0; at < FORKS_WEIGHED; at += 100) await Promise.all(Array.from({ length: 100 }, one));
  await store.close();
  const grown = statSync(path).size - before;
  await discard({ path, store });
  return grown / FORKS_WEIGHED;
}

/** What a message of 200 bytes adds to a file beside its JSON: rows, indexes, slack of pages, and no table that is empty. */
async function bytesBesideJson(work) {
  const [few, many] = [1000, 11_000];
  const before = await weighFile(work, few, messageOf);
  const after = await weighFile(work, many, messageOf);
  return (after.file - before.file - (after.json - before.json)) / (many - few);
}

/** The bytes of a file of one session, each message appended by itself, and of its messages as JSON. */
async function weighFile(work, count, messageAt) {
  const path = join(work, `messages-${process.pid}.db`);
  const { store } = await openStore(path);
  const { id } = await store.createSession({ member: "writer", role: "general" });
  const lease = await store.acquireLease(id, { owner: "benchmark", ttlMs: HOUR_MS });
  let json = 0;
  for (let rev = 0; rev < count; rev += 1) {
    const message = messageAt(rev);
    json += JSON.stringify(message).length;
    await store.append(id, { lease, expectedRev: rev, messages: [message] });
  }
  await store.close();
  const { size: file } = statSync(path);
  await discard({ path, store });
  return { file, json };
}

/** How many commits, and so syncs, the appends of many at once take: counted at the driver. */
async function commitsOfACrowd(work) {
  const { loadDriver } = await own("packages/session-sqlite/dist/index.js");
  let commits = 0;
  const driver = counting(await loadDriver(), () => (commits += 1));
  const state = await openStore(copyFixture(work, "counted"), { driver });
  const { run } = await crowding(state, { together: true });
  const before = commits;
  await run(1);
  const taken = commits - before;
  await discard(state);
  return taken;
}

function counting(driver, note) {
  const watched = (statement) => ({
    ...statement,
    run(...values) {
      note();
      return statement.run(...values);
    },
  });
  return {
    name: driver.name,
    open(path, options) {
      const connection = driver.open(path, options);
      const prepare = (sql, how) => {
        const statement = connection.prepare(sql, how);
        return sql === "COMMIT" ? watched(statement) : statement;
      };
      return { ...connection, prepare };
    },
  };
}
