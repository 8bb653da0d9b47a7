import assert from "node:assert/strict";
import { openPostgresStore } from "@mobkit/session-postgres";

const url = process.env.BASIS_TEST_POSTGRES_URL; // postgres://user:password@host:5432/database
const store = await openPostgresStore(url, { schema: "quick_start" });
const notes = await store.extend({
  name: "notes",
  migrations: ["CREATE TABLE notes_of (session text, note text)"],
});

const { id } = await store.createSession({ member: `planner-${Date.now()}`, role: "general" });
const lease = await store.acquireLease(id, { owner: "quick-start", ttlMs: 30_000 });
const messages = [{ role: "user", content: "What is in this folder?" }];
const join = async ({ sql }) => void (await sql.run("INSERT INTO notes_of VALUES ($1, $2)", [id, "asked"]));
await store.append(id, { lease, expectedRev: 0, messages, join }); // both or neither

for await (const row of store.read(id)) assert.equal(row.body.content, "What is in this folder?");
const kept = await notes.read(({ sql }) => sql.get("SELECT note FROM notes_of WHERE session = $1", [id]));
assert.equal(kept.note, "asked");
for await (const notice of store.follow({ sessionId: id })) {
  assert.equal(notice.kind, "resync"); // from here on every change by any process is told
  break;
}
await store.close();
