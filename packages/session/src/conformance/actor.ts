import { digestJson } from "@basis/core";
import type { Lease } from "../lease.ts";
import type { ModelMessage } from "../model-message-shape.ts";
import type { ForkCommit, ForkCommitRequest } from "../session-forks.ts";
import type { AppendRequest, CancelRequest, SessionChange, WriteResult } from "../session-write.ts";
import type { SessionStore } from "../store.ts";
import type { TranscriptRow } from "../transcript-row.ts";

/** A store as the kit uses it. */
export type AnyStore = SessionStore<ModelMessage, never>;

/** What a write may say beside its messages and conditions. */
export type Beside = Partial<Omit<AppendRequest<ModelMessage, never>, "messages">>;

/** A user's message. */
export function says(text: string): ModelMessage {
  return { role: "user", content: text };
}

/** An assistant's message with calls of these ids. */
export function asks(...callIds: readonly string[]): ModelMessage {
  const content = callIds.map((toolCallId) => ({
    type: "tool-call",
    toolCallId,
    toolName: "look",
    input: {},
  }));
  return { role: "assistant", content };
}

/** The result of one call. */
export function answers(toolCallId: string, value = "seen"): ModelMessage {
  const output = { type: "text", value };
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "look", output }] };
}

/** Writes to one session under one lease, and remembers the revision. */
export class Actor {
  readonly store: AnyStore;
  readonly member: string;
  readonly sessionId: string;
  lease: Lease;
  rev: number;

  constructor(seat: { store: AnyStore; member: string; lease: Lease; rev: number }) {
    this.store = seat.store;
    this.member = seat.member;
    this.sessionId = seat.lease.sessionId;
    this.lease = seat.lease;
    this.rev = seat.rev;
  }

  append(messages: readonly ModelMessage[], beside: Beside = {}): Promise<WriteResult> {
    return this.#done(this.store.append(this.sessionId, { ...this.#terms(), messages, ...beside }));
  }

  update(change: Partial<SessionChange<never>>): Promise<WriteResult> {
    return this.#done(this.store.update(this.sessionId, { ...this.#terms(), ...change }));
  }

  cancel(
    request: Partial<CancelRequest<ModelMessage, never>> & { readonly to: number },
  ): Promise<WriteResult> {
    const cancelled = { ...this.#terms(), reason: "cancelled", ...request };
    return this.#done(this.store.cancel(this.sessionId, cancelled));
  }

  /** Commits a fork of this session, and seats it unless told not to. */
  async fork(member: string, options: Partial<ForkCommitRequest<ModelMessage>> = {}): Promise<Actor> {
    const { claim, session } = await this.commit(member, options);
    await this.store.forks.seat({ claim: claim! });
    return actorOn(this.store, member, session.id);
  }

  commit(
    member: string,
    options: Partial<ForkCommitRequest<ModelMessage>> = {},
  ): Promise<ForkCommit<ModelMessage>> {
    return this.store.forks.commit({
      source: { member: this.member, sessionId: this.sessionId },
      child: { member, role: "general", labels: {} },
      request: { member },
      requestDigest: digestJson({ member }),
      claim: { owner: "kit", ttlMs: 10_000 },
      ...options,
    });
  }

  rows(): Promise<TranscriptRow<ModelMessage>[]> {
    return rowsOf(this.store, this.sessionId);
  }

  #terms(): { lease: Lease; expectedRev: number } {
    return { lease: this.lease, expectedRev: this.rev };
  }

  async #done(write: Promise<WriteResult>): Promise<WriteResult> {
    const result = await write;
    if (!result.replayed) this.rev = result.rev;
    return result;
  }
}

/** A new session with its member, leased. */
export async function actor(store: AnyStore, member = "planner"): Promise<Actor> {
  const session = await store.createSession({ member, role: "general" });
  return actorOn(store, member, session.id);
}

/** Leases a session that exists. */
export async function actorOn(store: AnyStore, member: string, sessionId: string): Promise<Actor> {
  const lease = await store.acquireLease(sessionId, { owner: `kit-${member}`, ttlMs: 60_000 });
  const { rev } = await store.head(sessionId);
  return new Actor({ store, member, lease, rev });
}

/** All rows of a session. */
export async function rowsOf(store: AnyStore, sessionId: string): Promise<TranscriptRow<ModelMessage>[]> {
  const rows: TranscriptRow<ModelMessage>[] = [];
  for await (const row of store.read(sessionId, { pageSize: 3 })) rows.push(row);
  return rows;
}
