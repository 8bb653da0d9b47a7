import { rmSync, statSync } from "node:fs";
import { own } from "../../harness/places.mjs";
import { LENGTHS, messageOf } from "./bodies.mjs";
import { copyFixture, memberOf } from "./fixture.mjs";

const HOUR_MS = 3_600_000;
const FORKS_WEIGHED = 2000;
const CLAIM = { owner: "benchmark", ttlMs: HOUR_MS };

/** One store for all cases of this process, since a file is open once in a process. */
let shared;
let users = 0;
let made = 0;

/** @param variant `{ operation: "append" | "commit" | "fork" | "bytes", length }` */
export async function open(variant, { work }) {
  if (variant.operation === "bytes") return { once: () => bytesPerFork(variant, work) };
  shared ??= openShared(work);
  users += 1;
  const state = await shared;
  return { ...(await operations[variant.operation](state, variant.length)), close: () => leave(state) };
}

async function openShared(work) {
  const path = copyFixture(work, "store");
  const { openSqliteStore } = await own("packages/session-sqlite/dist/index.js");
  const { createForks } = await own("packages/fork/dist/index.js");
  const store = await openSqliteStore(path);
  const forks = createForks({ store, provisioner: { provision: async () => ({}) } });
  return { path, store, forks };
}

async function leave({ path, store }) {
  users -= 1;
  if (users > 0) return;
  await store.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

const operations = { append: appending, commit: committing, fork: forking };

/** One message, acknowledged when it is durable; the sessions of a length take turns. */
async function appending({ store }, length) {
  const sessions = await Promise.all(
    membersOf(length).map(async (member) => {
      const { sessionId: id } = await store.members.get(member);
      const lease = await store.acquireLease(id, { owner: "benchmark", ttlMs: HOUR_MS });
      return { id, lease, rev: (await store.head(id)).rev };
    }),
  );
  let next = 0;
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) {
        const session = sessions[(next += 1) % sessions.length];
        const request = { lease: session.lease, expectedRev: session.rev, messages: [messageOf(next)] };
        session.rev = (await store.append(session.id, request)).rev;
      }
    },
  };
}

/** The store's commit step of a fork of the whole session. */
async function committing({ store }, length) {
  const [member] = membersOf(length);
  const { sessionId } = await store.members.get(member);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await commitFork(store, { member, sessionId });
    },
  };
}

function commitFork(store, source) {
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
async function forking({ forks }, length) {
  const [member] = membersOf(length);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await forks.forkMember(member, nextChild());
    },
  };
}

function nextChild() {
  made += 1;
  return { identity: `fork-${made}`, role: "general" };
}

/** How much the file grows by, divided by the forks that made it grow. */
async function bytesPerFork({ length, whole }, work) {
  const state = await openShared(work);
  const before = statSync(state.path).size;
  const [member] = membersOf(length);
  const { sessionId } = await state.store.members.get(member);
  const one = () =>
    whole ? state.forks.forkMember(member, nextChild()) : commitFork(state.store, { member, sessionId });
  for (let at = 0; at < FORKS_WEIGHED; at += 100) await Promise.all(Array.from({ length: 100 }, one));
  await state.store.close();
  const grown = statSync(state.path).size - before;
  for (const suffix of ["", "-wal", "-shm"]) rmSync(state.path + suffix, { force: true });
  return grown / FORKS_WEIGHED;
}

function membersOf(length) {
  const { sessions } = LENGTHS.find((one) => one.length === length);
  return Array.from({ length: sessions }, (_, at) => memberOf(length, at));
}
