// `node power.mjs PATH COMMITS`: commits one message after the other, some of them long, through several openings of the
// store, so that the log is folded into the file and begun anew. `done N` on stdout acknowledges the N-th.
import { writeSync } from "node:fs";
import { openSqliteStore } from "@mobkit/session-sqlite";

const [path, commits] = process.argv.slice(2);
const openings = 4;
const perOpening = Math.ceil(Number(commits) / openings);

for (let at = 0; at < Number(commits);) {
  const store = await openSqliteStore(path);
  const member = await store.members.get("planner");
  const id = member?.sessionId ?? (await store.createSession({ member: "planner", role: "general" })).id;
  const lease = await store.acquireLease(id, { owner: "power", ttlMs: 1 });
  let { rev } = await store.head(id);
  for (const end = at + perOpening; at < Math.min(end, Number(commits)); at += 1) {
    const content = at % 9 === 0 ? `commit ${at} ${"long ".repeat(3500)}` : `commit ${at}`;
    ({ rev } = await store.append(id, { lease, expectedRev: rev, messages: [{ role: "user", content }] }));
    writeSync(1, `done ${at + 1}\n`);
  }
  await store.close();
}
