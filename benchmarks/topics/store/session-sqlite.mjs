import { rmSync } from "node:fs";
import { own } from "../../harness/places.mjs";
import { LENGTHS, messageOf, TAIL } from "./bodies.mjs";
import { copyFixture, memberOf } from "./fixture.mjs";
import { driverWithSync } from "./timed-sync.mjs";

const HOUR_MS = 3_600_000;
const CLAIM = { owner: "benchmark", ttlMs: HOUR_MS };
/** Appenders at once. */
const CROWD = 64;

/** One store for all cases of this process, since a file is open once in a process. */
let shared;
let users = 0;
let made = 0;

/** @param variant `{ operation: "append" | "commit" | "fork" | "tail" | "crowd", length?, together?, syncUs? }`; all cases of a process have one `syncUs`. */
export async function open(variant, { work }) {
  shared ??= driverWithSync(variant.syncUs).then((driver) =>
    openStore(copyFixture(work, "store"), { driver }),
  );
  users += 1;
  const state = await shared;
  return { ...(await operations[variant.operation](state, variant)), close: () => leave(state) };
}

/** A store and its forks on a file. */
export async function openStore(path, options = {}) {
  const { openSqliteStore } = await own("packages/session-sqlite/dist/index.js");
  const { createForks } = await own("packages/fork/dist/index.js");
  const store = await openSqliteStore(path, options);
  const forks = createForks({ store, provisioner: { provision: async () => ({}) } });
  return { path, store, forks };
}

/** Closes a store and removes its file. */
export async function discard({ path, store }) {
  await store.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

async function leave(state) {
  users -= 1;
  if (users === 0) await discard(state);
}

const operations = {
  append: appending,
  commit: committing,
  fork: forking,
  tail: loading,
  crowd: crowding,
};

/** One message, acknowledged when it is durable; the sessions of a length take turns. */
async function appending({ store }, { length }) {
  const sessions = await Promise.all(membersOf(length).map((member) => leased(store, member)));
  let next = 0;
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) {
        next += 1;
        await appendTo(store, sessions[next % sessions.length], next);
      }
    },
  };
}

async function leased(store, member) {
  const { sessionId: id } = await store.members.get(member);
  const lease = await store.acquireLease(id, { owner: "benchmark", ttlMs: HOUR_MS });
  return { id, lease, rev: (await store.head(id)).rev };
}

async function appendTo(store, session, index) {
  const request = { lease: session.lease, expectedRev: session.rev, messages: [messageOf(index)] };
  session.rev = (await store.append(session.id, request)).rev;
}

/** A message to each of many sessions, all asked for at once or one by one. */
export async function crowding({ store }, { together }) {
  const from = together ? 0 : CROWD;
  const sessions = await Promise.all(
    Array.from({ length: CROWD }, (_, at) => leased(store, memberOf(10, from + at))),
  );
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) {
        if (together) await Promise.all(sessions.map((session) => appendTo(store, session, at)));
        else for (const session of sessions) await appendTo(store, session, at);
      }
    },
  };
}

/** The store's commit step of a fork of the whole session. */
async function committing({ store }, { length }) {
  const source = await sourceOf(store, length);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await commitFork(store, source);
    },
  };
}

/** A session of a length, as a fork names it. */
export async function sourceOf(store, length) {
  const [member] = membersOf(length);
  const { sessionId } = await store.members.get(member);
  return { member, sessionId };
}

/** One fork's commit step. */
export function commitFork(store, source) {
  made += 1;
  return store.forks.commit({
    source,
    child: { member: `commit-${made}`, role: "general", labels: {} },
    requestDigest: "sha256:0",
    request: { source: source.member },
    claim: CLAIM,
  });
}

/** `forkMember` from the request to the seat, with a provisioner that answers at once. */
async function forking({ forks }, { length }) {
  const [member] = membersOf(length);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await forks.forkMember(member, nextChild());
    },
  };
}

/** What a fork of the benchmark is to make. */
export function nextChild() {
  made += 1;
  return { identity: `fork-${made}`, role: "general" };
}

/** What the next turn needs: the session as it is, and its last messages. */
async function loading({ store }, { length }) {
  const { sessionId } = await sourceOf(store, length);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) {
        const { len } = await store.head(sessionId);
        for await (const row of store.read(sessionId, { from: Math.max(0, len - TAIL) })) last = row;
      }
    },
  };
}

/** Kept, so that no reading can be left out. */
export let last;

function membersOf(length) {
  const { sessions } = LENGTHS.find((one) => one.length === length);
  return Array.from({ length: sessions }, (_, at) => memberOf(length, at));
}
