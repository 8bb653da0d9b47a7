import type { LeaseRecord } from "@mobkit/session";
import { isGone } from "../agent/transcript/acquire-lease.ts";
import type { BasisEvent } from "../events/event-schema.ts";
import type { HostState } from "../store/open-state.ts";

/** A run by its ids. */
export interface RunPlace {
  readonly session: string;
  readonly run: string;
}

/** The last event of a run. */
export type RunFinished = Extract<BasisEvent, { type: "run_finished" }>;

/** How a run stands. `lost`: it has not ended, and no process works on it any more. */
export type RunStanding =
  | { readonly kind: "running"; readonly owner: string | null }
  | { readonly kind: "finished"; readonly end: RunFinished }
  | { readonly kind: "lost"; readonly owner: string | null };

/** True while somebody holds the lease; one that ran out, or whose process on this machine is gone, is nobody's. */
export function isHeld({ owner, expiresAt }: LeaseRecord, nowMs: number = Date.now()): boolean {
  return owner !== null && (expiresAt ?? 0) > nowMs && !isGone(owner);
}

/** How long a run whose lease was given back may take to tell its end. */
const TELLING_MS = 10_000;

/**
 * Looks at a run from any process: at its log for its end, and at its session's lease for whether somebody still works
 * on it.
 */
export class RunWatch {
  readonly #state: Pick<HostState, "store" | "events">;
  readonly #place: RunPlace;
  #freeSince: number | undefined;
  #seen = 0;
  #end: RunFinished | undefined;

  constructor(state: Pick<HostState, "store" | "events">, place: RunPlace) {
    this.#state = state;
    this.#place = place;
  }

  /** @throws SessionError `unknown_session` once the session is deleted. */
  async look(nowMs: number = Date.now()): Promise<RunStanding> {
    // The lease first: whoever gives it back has written the end, or is about to.
    const { lease } = await this.#state.store.head(this.#place.session);
    const { owner } = lease;
    const end = await this.#readEnd();
    if (end !== undefined) return { kind: "finished", end };
    if (isHeld(lease, nowMs)) {
      this.#freeSince = undefined;
      return { kind: "running", owner };
    }
    this.#freeSince ??= nowMs;
    const isLost = owner !== null || nowMs - this.#freeSince >= TELLING_MS;
    return { kind: isLost ? "lost" : "running", owner };
  }

  async #readEnd(): Promise<RunFinished | undefined> {
    if (this.#end !== undefined) return this.#end;
    for await (const event of this.#state.events.read(this.#place.session, { after: this.#seen })) {
      this.#seen = event.seq ?? this.#seen;
      if (event.type === "run_finished" && event.run === this.#place.run) this.#end = event;
    }
    return this.#end;
  }
}
