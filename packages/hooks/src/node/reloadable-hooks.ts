/// <reference lib="esnext.disposable" preserve="true" />
import type { ToolResult } from "@basis/core";
import type { CallRecord } from "../audit-trail.ts";
import type { HookCall } from "../hook-request.ts";
import type { AskOptions, HookChain } from "../hook-chain.ts";
import type { PostOutcome, PreOutcome } from "../hook-decision.ts";
import type { Reporter } from "../hook-report.ts";
import type { ParticipantInfo } from "../participant.ts";
import type { RankedHooks } from "./discover-hooks.ts";
import { refuseLostHooks } from "./reload-rule.ts";

/** What a reload came to. */
export interface ReloadOutcome {
  /** False: the hooks that were in force still are. */
  readonly swapped: boolean;
  /** Why not; absent as well when the chain was closed. */
  readonly error?: Error;
}

/** The chain that `openHooks` opened. */
export interface OpenedHooks extends HookChain {
  /**
   * Reads the files anew. The new hooks take over as a whole; calls under way end with those they began with. Files
   * that are wrong, not trusted, or would lose a hook in force change nothing and are reported. Never rejects.
   */
  reload(options?: { readonly signal?: AbortSignal | undefined }): Promise<ReloadOutcome>;
  /** The hooks that are in force now, for work of several calls that no reload may come between. */
  hold(): HeldHooks;
}

/** Hooks that stay what they are until they are let go of. */
export interface HeldHooks {
  /** Closed with the chain that it was held from, or, once a reload has replaced it, when it is let go of. */
  readonly chain: HookChain;
  /** Lets go of them; more than once does no harm. */
  release(): void;
}

/** What a reloadable chain begins with, and how it gets the next. */
export interface ReloadableParts {
  readonly plan: readonly RankedHooks[];
  readonly chain: HookChain;
  readonly read: (signal: AbortSignal | undefined) => Promise<readonly RankedHooks[]>;
  readonly open: (plan: readonly RankedHooks[]) => Promise<HookChain>;
  readonly report: Reporter;
  readonly trailSize: number | undefined;
}

const DEFAULT_TRAIL_SIZE = 100;

/** One plan's chain, for as long as calls need it. */
interface Generation {
  readonly plan: readonly RankedHooks[];
  readonly chain: HookChain;
  inFlight: number;
}

/** A chain whose participants can be replaced as a whole. */
export class ReloadableHooks implements OpenedHooks {
  readonly workspace: string;
  readonly #parts: ReloadableParts;
  #current: Generation;
  /** Replaced, and still needed by calls under way. */
  readonly #retired = new Set<Generation>();
  /** Records of chains that are gone. */
  #older: readonly CallRecord[] = [];
  #lastReload: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: ReloadableParts) {
    this.workspace = parts.chain.workspace;
    this.#parts = parts;
    this.#current = { plan: parts.plan, chain: parts.chain, inFlight: 0 };
  }

  get participants(): readonly ParticipantInfo[] {
    return this.#current.chain.participants;
  }

  get trail(): readonly CallRecord[] {
    const current = this.#current.chain.trail;
    if (this.#older.length === 0 && this.#retired.size === 0) return current;
    const retired = [...this.#retired].flatMap(({ chain }) => chain.trail);
    return this.#lastOf([...this.#older, ...retired, ...current]);
  }

  beforeCall(call: HookCall, options?: AskOptions): PreOutcome | Promise<PreOutcome> {
    const generation = this.#current;
    return this.#hold(generation, generation.chain.beforeCall(call, options));
  }

  afterCall(call: HookCall, result: ToolResult, options?: AskOptions): PostOutcome | Promise<PostOutcome> {
    const generation = this.#current;
    return this.#hold(generation, generation.chain.afterCall(call, result, options));
  }

  reload(options?: { readonly signal?: AbortSignal | undefined }): Promise<ReloadOutcome> {
    const next = this.#lastReload.then(() => this.#reload(options?.signal));
    this.#lastReload = next;
    return next;
  }

  hold(): HeldHooks {
    const generation = this.#current;
    generation.inFlight += 1;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      generation.inFlight -= 1;
      this.#endIfIdle(generation);
    };
    return { chain: generation.chain, release };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const generations = [this.#current, ...this.#retired];
    await Promise.all(generations.map(({ chain }) => chain.close()));
    await this.#lastReload;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #reload(signal: AbortSignal | undefined): Promise<ReloadOutcome> {
    if (this.#isClosed) return { swapped: false };
    const { read, open } = this.#parts;
    try {
      const plan = await read(signal);
      refuseLostHooks(this.#current.plan, plan);
      const chain = await open(plan);
      if (this.#isClosed) {
        await chain.close();
        return { swapped: false };
      }
      this.#swap({ plan, chain, inFlight: 0 });
      return { swapped: true };
    } catch (error) {
      return this.#keep(error as Error);
    }
  }

  #swap(next: Generation): void {
    const last = this.#current;
    this.#current = next;
    this.#retired.add(last);
    this.#endIfIdle(last);
  }

  #keep(error: Error): ReloadOutcome {
    try {
      this.#parts.report(`the hooks were not reloaded, those in force stay: ${error.message}`, {
        kind: "warning",
      });
    } catch {
      // a reporter that throws changes nothing
    }
    return { swapped: false, error };
  }

  #hold<Outcome>(generation: Generation, outcome: Outcome | Promise<Outcome>): Outcome | Promise<Outcome> {
    if (!(outcome instanceof Promise)) return outcome;
    generation.inFlight += 1;
    const release = (): void => {
      generation.inFlight -= 1;
      this.#endIfIdle(generation);
    };
    void outcome.then(release, release);
    return outcome;
  }

  #endIfIdle(generation: Generation): void {
    if (generation.inFlight > 0 || !this.#retired.delete(generation)) return;
    this.#older = this.#lastOf([...this.#older, ...generation.chain.trail]);
    void generation.chain.close().catch(() => undefined);
  }

  #lastOf(records: readonly CallRecord[]): readonly CallRecord[] {
    const size = this.#parts.trailSize ?? DEFAULT_TRAIL_SIZE;
    return size === 0 ? [] : records.slice(-size);
  }
}
