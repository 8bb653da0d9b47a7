// `node power.mjs PATH COMMITS`: commits one message after the other, some of them long, through several openings of the
// store, so that the log is folded into the file and begun anew; some are forked. `done N` on stdout acknowledges the
// N-th, `forked N` the fork that was seated after it.
import { writeSync } from "node:fs";
import { openSqliteStore } from "@mobkit/session-sqlite";

const [path, commits] = process.argv.slice(2);
const openings = 4;
const perOpening = Math.ceil(Number(commits) / openings);

async function fork(store, sessionId, number) {
  const { claim } = await store.forks.commit({
    source: { member: "planner", sessionId },
    child: { member: `child ${number}`, role: "general", labels: {} },
    request: {},
    requestDigest: "none",
    claim: { owner: "power", ttlMs: 60_000 },
  });
  await store.forks.seat({ claim });
  writeSync(1, `forked ${number}\n`);
}

for (let at = 0; at < Number(commits);) {
  const store = await openSqliteStore(path);
  const member = await store.members.get("planner");
  const id = member?.sessionId ?? (await store.createSession({ member: "planner", role: "general" })).id;
  const lease = await store.acquireLease(id, { owner: "power", ttlMs: 60_000 });
  let { rev } = await store.head(id);
  for (const end = at + perOpening; at < Math.min(end, Number(commits)); at += 1) {
    const content = at % 9 === 0 ? `commit ${at} ${"long ".repeat(3500)}` : `commit ${at}`;
    ({ rev } = await store.append(id, { lease, expectedRev: rev, messages: [{ role: "user", content }] }));
    writeSync(1, `done ${at + 1}\n`);
    if (at % 10 === 4) await fork(store, id, at + 1);
  }
  await store.releaseLease(lease);
  await store.close();
}
