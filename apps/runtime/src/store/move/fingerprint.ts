import { createHash, type Hash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@basis/core";
import type { SessionRecord } from "@mobkit/session";
import { movedTableNames } from "../host-tables.ts";
import type { HostState } from "../open-state.ts";
import { archivedSession, sessionsByAge } from "./archived-sessions.ts";

/** What a state holds, as counts, and a digest over all of it: equal for states that hold the same. */
export interface Fingerprint {
  readonly sessions: number;
  readonly messages: number;
  readonly events: number;
  readonly intents: number;
  readonly approvals: number;
  readonly rules: number;
  readonly digest: string;
}

/** Reads a whole state. Leases, numbers of rows and when something was looked after are no part of it. */
export async function fingerprintOf(state: HostState, signal: AbortSignal): Promise<Fingerprint> {
  const hash = createHash("sha256");
  const sessions = await sessionsByAge(state.store, signal);
  let messages = 0;
  for (const session of sessions) messages += await addSession(hash, state, { session, signal });
  const tables: number[] = [];
  for (const table of movedTableNames) {
    let count = 0;
    for await (const row of state.tables!.rows(table)) {
      add(hash, row);
      count += 1;
    }
    tables.push(count);
  }
  let events = 0;
  for await (const { event } of state.events.readAll(0)) {
    add(hash, event as unknown as JsonValue);
    events += 1;
  }
  const [intents = 0, approvals = 0, rules = 0] = tables;
  const digest = `sha256:${hash.digest("hex")}`;
  return { sessions: sessions.length, messages, events, intents, approvals, rules, digest };
}

/** Answers how many rows its own log has. */
async function addSession(
  hash: Hash,
  { store }: HostState,
  { session, signal }: { readonly session: SessionRecord; readonly signal: AbortSignal },
): Promise<number> {
  const { waiting, ...archived } = await archivedSession(store, session, signal);
  const { lease: _, ...lasting } = session;
  const told = waiting.map(({ key, kind, payload, createdAt }) => ({ key, kind, payload, createdAt }));
  add(hash, { ...archived, session: lasting, waiting: told } as unknown as JsonValue);
  let rows = 0;
  const own = { start: 0, writer: session.id, lo: 0, hi: session.nextSeq };
  for await (const row of store.transfer!.rows([own], { signal })) {
    add(hash, row as unknown as JsonValue);
    rows += 1;
  }
  return rows;
}

function add(hash: Hash, value: JsonValue): void {
  hash.update(canonicalJson(value)).update("\n");
}
