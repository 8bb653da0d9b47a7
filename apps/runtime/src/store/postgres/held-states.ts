import type { Lease, SideState, SideStateWrite } from "@mobkit/session";

/** The side state of a session whose lease this process holds. */
interface Held {
  readonly epoch: number;
  readonly states: Map<string, SideState>;
  /** By this process's monotonic clock: until then nobody else can have the lease. */
  untilMs: number;
}

/**
 * Side state of the sessions whose lease this process holds, which nobody else can write meanwhile: it is read once, with
 * the lease. What forks share is left out, since any of them writes it.
 */
export class HeldStates {
  readonly #held = new Map<string, Held>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** `atMs`: when the lease was asked for. */
  begin(
    { sessionId, epoch, ttlMs }: Lease,
    { states, atMs }: { readonly states: readonly SideState[]; readonly atMs: number },
  ): void {
    this.#held.delete(sessionId);
    this.#held.set(sessionId, {
      epoch,
      states: new Map(states.map((state) => [state.kind, state])),
      untilMs: atMs + ttlMs,
    });
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#most && oldest !== undefined) this.#held.delete(oldest);
  }

  /** `atMs`: when the renewal was asked for. */
  renewed({ sessionId, epoch, ttlMs }: Lease, atMs: number): void {
    const held = this.#held.get(sessionId);
    if (held?.epoch === epoch) held.untilMs = atMs + ttlMs;
  }

  /** Undefined where it has to be read. */
  read(sessionId: string, kind: string): { readonly state: SideState | undefined } | undefined {
    const held = this.#held.get(sessionId);
    if (held === undefined || performance.now() >= held.untilMs) return undefined;
    const state = held.states.get(kind);
    return state === undefined || state.onFork === "reset" ? { state } : undefined;
  }

  /** What a write has left. */
  wrote(sessionId: string, writes: readonly SideStateWrite[], len: number): void {
    const held = this.#held.get(sessionId);
    for (const { kind, onFork, value } of writes) {
      const version = (held?.states.get(kind)?.version ?? 0) + 1;
      held?.states.set(kind, { kind, onFork, value, position: len, version });
    }
  }

  /** The lease is given back, or a write failed. */
  end(sessionId: string): void {
    this.#held.delete(sessionId);
  }

  clear(): void {
    this.#held.clear();
  }
}
