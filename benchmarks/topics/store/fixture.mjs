import { closeSync, copyFileSync, existsSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { own } from "../../harness/places.mjs";
import { LENGTHS, messageOf } from "./bodies.mjs";

const AT_ONCE = 1000;
const HOUR_MS = 3_600_000;

/** Makes the file that every case starts from a copy of: sessions of all lengths in one store. */
export async function makeFixture(work) {
  const { openSqliteStore } = await own("packages/session-sqlite/dist/index.js");
  const store = await openSqliteStore(join(work, "fixture.db"));
  for (const { length, sessions } of LENGTHS)
    for (let at = 0; at < sessions; at += 1) await fill(store, memberOf(length, at), length);
  await store.close();
}

async function fill(store, member, length) {
  const { id } = await store.createSession({ member, role: "general" });
  const lease = await store.acquireLease(id, { owner: "fixture", ttlMs: HOUR_MS });
  let rev = 0;
  for (let from = 0; from < length; from += AT_ONCE) {
    const messages = Array.from({ length: Math.min(AT_ONCE, length - from) }, (_, at) =>
      messageOf(from + at),
    );
    ({ rev } = await store.append(id, { lease, expectedRev: rev, messages }));
  }
  await store.releaseLease(lease);
}

/** The name of a fixture's session. */
export function memberOf(length, at) {
  return `member-${length}-${at}`;
}

/** A fresh copy of the fixture, on disk: what it left to write would otherwise be paid for by the first commits. */
export function copyFixture(work, name) {
  const path = join(work, `${name}-${process.pid}.db`);
  if (existsSync(path)) throw new Error(`${path} is in use`);
  copyFileSync(join(work, "fixture.db"), path);
  const descriptor = openSync(path, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
  return path;
}
