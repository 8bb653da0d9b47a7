// `node worker.mjs PATH NAME SEED OPERATIONS`: one of several processes on a store. Each line of stdout is a JSON list of
// what was acknowledged: `["said", session, text]`, `["unsaid", …]`, `["redacting", …]`, `["redacted", …]`, `["forked", key, operation]`,
// `["ended", operation, state]`, `["refused", code]`, `["wrong", text]` and, at the end, `["finished", name]`.
import { writeSync } from "node:fs";
import { isBasisError } from "@basis/core";
import { isSessionError } from "@mobkit/session";
import { openSqliteStore } from "@mobkit/session-sqlite";

const [path, name, seed, operations] = process.argv.slice(2);
const tell = (...facts) => writeSync(1, `${JSON.stringify(facts)}\n`);
const says = (content) => ({ role: "user", content });

let state = Number(seed) >>> 0;
/** Source: the mulberry32 generator, in the public domain. */
const dice = (sides) => {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
};

const store = await openSqliteStore(path, { busyTimeoutMs: 30_000 });
let texts = 0;
const nextText = () => `${name} ${process.pid} ${(texts += 1)}${dice(12) === 0 ? " long".repeat(3500) : ""}`;

/** The member's session under a lease that nobody else gets before this step is over. */
async function write(member, work) {
  const record = await store.members.get(member);
  const sessionId = record?.sessionId ?? (await store.createSession({ member, role: "general" })).id;
  const lease = await store.acquireLease(sessionId, { owner: name, ttlMs: 2000 });
  try {
    const { rev, len, settledLen, openCalls } = await store.head(sessionId);
    await work({ sessionId, len, settledLen, openCalls, terms: { lease, expectedRev: rev } });
  } finally {
    await store.releaseLease(lease);
  }
}

async function say(member) {
  await write(member, async ({ sessionId, terms }) => {
    const text = nextText();
    await store.append(sessionId, { ...terms, messages: [says(text)], writeId: text.slice(0, 60) });
    tell("said", sessionId, text);
  });
}

async function sayAndTakeBack() {
  await write(`own ${name}`, async ({ sessionId, len, terms }) => {
    const text = nextText();
    const { rev } = await store.append(sessionId, { ...terms, messages: [says(text)] });
    await store.cancel(sessionId, { ...terms, expectedRev: rev, to: len, reason: "wrong" });
    tell("unsaid", sessionId, text);
  });
}

async function redactOwn() {
  const record = await store.members.get(`own ${name}`);
  if (record === undefined) return;
  const { len } = await store.head(record.sessionId);
  const from = dice(Math.max(1, len));
  for await (const { id, body, redacted } of store.read(record.sessionId, { from, to: from + 1 })) {
    if (redacted) return;
    tell("redacting", record.sessionId, body.content);
    await store.upkeep.redact({ sessionId: record.sessionId, messageIds: [id] });
    tell("redacted", record.sessionId, body.content);
  }
}

async function fork() {
  const source = await store.members.get(`shared ${dice(2)}`);
  if (source === undefined) return;
  const number = dice(40);
  const { operation, claim } = await store.forks.commit({
    source: { member: source.member, sessionId: source.sessionId },
    child: { member: `child ${number}`, role: "general", labels: {} },
    at: "settled",
    allowEmpty: true,
    whileRunning: "settled",
    idempotencyKey: `key ${number}`,
    request: { number },
    requestDigest: `request ${number}`,
    claim: { owner: name, ttlMs: 500 },
  });
  tell("forked", `key ${number}`, operation.id);
  if (claim !== null && dice(4) > 0) await end(operation.id, claim);
}

async function end(operationId, claim) {
  if (dice(6) === 0) {
    await store.forks.abandon({ operationId, claim });
    tell("ended", operationId, "abandoned");
    return;
  }
  await store.forks.seat({ claim });
  tell("ended", operationId, "seated");
}

async function resume() {
  const { items } = await store.operations.list({ state: "committed", limit: 100 });
  if (items.length === 0) return;
  const { id } = items[dice(items.length)];
  await end(id, await store.operations.claim({ operationId: id, owner: name, ttlMs: 500 }));
}

/** A transcript that is read while others write: no row is missing, none comes twice. */
async function read() {
  const source = await store.members.get(`shared ${dice(2)}`);
  if (source === undefined) return;
  let next = 0;
  for await (const { position } of store.read(source.sessionId, { pageSize: 7 })) {
    if (position !== next) tell("wrong", `row ${position} stands at ${next}`);
    next += 1;
  }
}

const common = [() => say(`own ${name}`), () => say(`shared ${dice(2)}`), fork, read, resume];
const rare = [
  sayAndTakeBack,
  redactOwn,
  () => store.upkeep.collect({ graceMs: 0, stepSize: 50 }),
  () => store.upkeep.rebase({ stepSize: 50 }),
];

for (let left = Number(operations); left > 0; left -= 1) {
  const list = dice(8) === 0 ? rare : common;
  try {
    await list[dice(list.length)]();
  } catch (error) {
    if (!isSessionError(error))
      tell("wrong", isBasisError(error) ? error.code : String(error?.stack ?? error));
    else tell("refused", error.code);
  }
}
await store.close();
tell("finished", name);
