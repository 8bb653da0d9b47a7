import { own } from "../../harness/places.mjs";
import { LENGTHS, messageOf } from "../store/bodies.mjs";
import { countingProxy } from "./counting-proxy.mjs";
import { memberOf, placeOf } from "./database.mjs";

const HOUR_MS = 3_600_000;
const CLAIM = { owner: "benchmark", ttlMs: HOUR_MS };

let shared;
let users = 0;
let made = 0;
/** Names are unique over all processes of a run. */
const run = `${process.pid}-${Date.now()}`;

/** @param variant `{ operation: "append" | "commit" | "fork" | "trips", length, of? }` */
export async function open(variant, { work }) {
  if (variant.operation === "trips") return { once: () => roundTrips(variant, placeOf(work)) };
  shared ??= openStore(placeOf(work));
  users += 1;
  const state = await shared;
  const subject = await operations[variant.operation](state, variant.length);
  return {
    ...subject,
    async close() {
      await subject.close?.();
      await leave(state);
    },
  };
}

async function openStore({ url, schema }, limits = {}) {
  const { openPostgresStore } = await own("packages/session-postgres/dist/index.js");
  const { createForks } = await own("packages/fork/dist/index.js");
  const store = await openPostgresStore(url, { schema, ...limits });
  const forks = createForks({ store, provisioner: { provision: async () => ({}) } });
  return { store, forks };
}

async function leave({ store }) {
  users -= 1;
  if (users === 0) await store.close();
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
    close: () => Promise.all(sessions.map(({ lease }) => store.releaseLease(lease))),
  };
}

/** The store's commit step of a fork of the whole session. */
async function committing({ store }, length) {
  const source = await sourceOf(store, length);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await commitFork(store, source);
    },
  };
}

async function sourceOf(store, length) {
  const [member] = membersOf(length);
  const { sessionId } = await store.members.get(member);
  return { member, sessionId };
}

function commitFork(store, source) {
  return store.forks.commit({
    source,
    child: { member: nextName("commit"), role: "general", labels: {} },
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
      for (let at = 0; at < count; at += 1)
        await forks.forkMember(member, { identity: nextName("fork"), role: "general" });
    },
  };
}

/** How often the store waits for the server, once its connection is warm. */
async function roundTrips({ of, length }, { url, schema }) {
  const proxy = await countingProxy(url);
  const { store } = await openStore({ url: proxy.url, schema }, { maxConnections: 1 });
  const { run: once, close } = await operations[of]({ store }, length);
  await once(2);
  const before = proxy.roundTrips();
  await once(1);
  const trips = proxy.roundTrips() - before;
  await close?.();
  await store.close();
  proxy.close();
  return trips;
}

function nextName(kind) {
  made += 1;
  return `${kind}-${run}-${made}`;
}

function membersOf(length) {
  const { sessions } = LENGTHS.find((one) => one.length === length);
  return Array.from({ length: sessions }, (_, at) => memberOf(length, at));
}
