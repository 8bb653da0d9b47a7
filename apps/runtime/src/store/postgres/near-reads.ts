import type { CallOptions, Lease, LeaseRequest, SessionRecord, SideState } from "@mobkit/session";
import type { PostgresStore, SessionLook } from "@mobkit/session-postgres";
import type { ModelMessage } from "../../providers/model.ts";
import { HeldStates } from "./held-states.ts";

/** For how long what a round trip brought along answers the reads that follow it. */
const NEAR_MS = 100;

/** Most sessions of which something is remembered. */
const MAX_SESSIONS = 256;

/** What a round trip brought along about a session. `left` are the parts that have answered no read yet. */
interface Brought {
  readonly look: SessionLook<ModelMessage>;
  readonly atMs: number;
  readonly left: Set<"session" | "member" | "operation">;
}

/**
 * Reads of sessions, as few round trips as they can be: a head brings along what a host asks for next, and a lease brings
 * the head. Each part answers one read that comes soon, and none behind a write of this process.
 */
export class NearReads {
  readonly #store: PostgresStore<ModelMessage>;
  readonly #nearMs: number;
  readonly #brought = new Map<string, Brought>();
  readonly held: HeldStates = new HeldStates(MAX_SESSIONS);
  #redactions: { readonly count: number; readonly atMs: number } | undefined;

  constructor(store: PostgresStore<ModelMessage>, nearMs: number = NEAR_MS) {
    this.#store = store;
    this.#nearMs = nearMs;
  }

  async head(sessionId: string, options?: CallOptions): Promise<SessionRecord> {
    const leased = this.#take(sessionId, "session");
    if (leased !== undefined) return leased.session;
    const atMs = performance.now();
    const look = await this.#store.look(sessionId, options);
    this.#bring({ look, atMs, left: new Set(["member", "operation"]) });
    return look.session;
  }

  async takeLease(sessionId: string, request: LeaseRequest): Promise<Lease> {
    this.forget(sessionId);
    const atMs = performance.now();
    const { lease, look } = await this.#store.takeLease(sessionId, request);
    this.#bring({ look, atMs, left: new Set(["session", "member", "operation"]) });
    this.held.begin(lease, { states: look.sideStates, atMs });
    return lease;
  }

  async sideState(sessionId: string, kind: string, options?: CallOptions): Promise<SideState | undefined> {
    const held = this.held.read(sessionId, kind);
    if (held !== undefined) return held.state;
    const near = this.#near(sessionId);
    if (near === undefined) return this.#store.sideState(sessionId, kind, options);
    return near.look.sideStates.find((state) => state.kind === kind);
  }

  /** Undefined where none of that name was brought along. */
  memberOf(name: string): SessionLook["member"] {
    for (const [sessionId, { look }] of this.#brought)
      if (look.member?.member === name) return this.#take(sessionId, "member")?.member;
    return undefined;
  }

  async operationOf(
    sessionId: string,
    options?: CallOptions,
  ): Promise<SessionLook<ModelMessage>["operation"]> {
    const look = this.#take(sessionId, "operation");
    return look === undefined ? this.#store.operations.ofSession(sessionId, options) : look.operation;
  }

  async redactions(options?: CallOptions): Promise<number> {
    const known = this.#redactions;
    const atMs = performance.now();
    if (known !== undefined && atMs - known.atMs < this.#nearMs) return known.count;
    const count = await this.#store.upkeep!.generation(options);
    this.#redactions = { count, atMs };
    return count;
  }

  /** Drops what was brought along about a session, before and after every write to it. */
  forget(sessionId: string): void {
    this.#brought.delete(sessionId);
  }

  /** Drops what was brought along about every session. */
  forgetNear(): void {
    this.#brought.clear();
  }

  /** Drops all of it: something was redacted here. */
  forgetAll(): void {
    this.forgetNear();
    this.held.clear();
    this.#redactions = undefined;
  }

  #bring(brought: Brought): void {
    const { look, atMs } = brought;
    this.#redactions = { count: look.redactions, atMs };
    this.#brought.delete(look.session.id);
    this.#brought.set(look.session.id, brought);
    for (const [oldest, { atMs: since }] of this.#brought) {
      if (this.#brought.size <= MAX_SESSIONS && atMs - since < this.#nearMs) break;
      this.#brought.delete(oldest);
    }
  }

  #near(sessionId: string): Brought | undefined {
    const brought = this.#brought.get(sessionId);
    if (brought === undefined || performance.now() - brought.atMs < this.#nearMs) return brought;
    this.#brought.delete(sessionId);
    return undefined;
  }

  #take(sessionId: string, part: "session" | "member" | "operation"): SessionLook<ModelMessage> | undefined {
    const near = this.#near(sessionId);
    return near?.left.delete(part) === true ? near.look : undefined;
  }
}
