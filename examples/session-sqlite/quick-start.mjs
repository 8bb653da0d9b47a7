import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@mobkit/session-sqlite";

const path = join(mkdtempSync(join(tmpdir(), "quick-start-")), "sessions.db");
let store = await openSqliteStore(path);
const notes = { name: "notes", migrations: ["CREATE TABLE notes_of (session TEXT, text TEXT) STRICT"] };
await store.extend(notes);

const { id } = await store.createSession({ member: "planner", role: "general" });
const lease = await store.acquireLease(id, { owner: "quick-start", ttlMs: 30_000 });
const messages = [{ role: "user", content: "What is in this folder?" }];
const note = ({ sql }) => void sql.run("INSERT INTO notes_of VALUES (?, ?)", [id, "asked"]);
await store.append(id, { lease, expectedRev: 0, messages, join: note }); // both or neither, durable
await store.close();

store = await openSqliteStore(path);
for await (const row of store.read(id)) assert.equal(row.body.content, "What is in this folder?");
const kept = await (await store.extend(notes)).read(({ sql }) => sql.all("SELECT text FROM notes_of"));
assert.equal(kept[0].text, "asked");
await store.close();
