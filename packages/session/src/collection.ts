import { untilAborted, type Clock } from "@basis/core";
import type { CollectionSteps, LooseBlob, RangeStep, WalkPage } from "./collection-steps.ts";
import { commonRanges, subtractRanges, type LogRange } from "./log-ranges.ts";
import { checkCount, checkMost, invalidRequest } from "./request-checks.ts";
import type { CollectionReport, CollectRequest } from "./upkeep.ts";

const GRACE_MS = 3_600_000;
const MAX_GRACE_MS = 31 * 24 * GRACE_MS;
/** How long the key of a consumed event is remembered at least: seven days. */
const EVENT_KEY_MS = 168 * GRACE_MS;
const NONE: ReadonlySet<string> = new Set();
const STEP_SIZE = 256;
const MAX_STEP_SIZE = 1000;

/** The number of things per step. @throws SessionError `invalid_request`. */
export function checkStepSize(stepSize: number | undefined): number {
  return checkMost("stepSize", checkCount("stepSize", stepSize ?? STEP_SIZE, 1), MAX_STEP_SIZE);
}

/** Collects by a store's steps; see `StoreUpkeep.collect`. A redaction or a finished rebase in between begins it anew. @throws SessionError `invalid_request`. */
export async function runCollection(
  steps: CollectionSteps,
  request: CollectRequest,
  clock: Clock,
): Promise<CollectionReport> {
  const graceMs = checkMost("graceMs", checkCount("graceMs", request.graceMs ?? GRACE_MS), MAX_GRACE_MS);
  const limit = checkStepSize(request.stepSize);
  const now = clock.now();
  const run = new Collection(steps, { ...request, limit, before: now - graceMs, now });
  for (;;) {
    if (await run.pass(await steps.epoch())) return run.report();
  }
}

interface CollectionTerms extends CollectRequest {
  readonly limit: number;
  /** Marks of this moment and earlier have had their grace. */
  readonly before: number;
  readonly now: number;
}

class Collection {
  readonly #steps: CollectionSteps;
  readonly #terms: CollectionTerms;
  #gone = { rows: 0, blobs: 0, bytes: 0 };
  #waiting = { rows: 0, blobs: 0, bytes: 0 };
  /** References of rows that are to go, by blob. */
  #deadRefs = new Map<string, number>();

  constructor(steps: CollectionSteps, terms: CollectionTerms) {
    this.#steps = steps;
    this.#terms = terms;
  }

  report(): CollectionReport {
    const [gone, waiting] = [Object.freeze(this.#gone), Object.freeze(this.#waiting)];
    return Object.freeze({ dryRun: this.#dryRun, gone, waiting });
  }

  /** One pass; false when the epoch has changed before its rows were gone. What went stays counted. */
  async pass(epoch: number): Promise<boolean> {
    this.#waiting = { rows: 0, blobs: 0, bytes: 0 };
    this.#deadRefs = new Map();
    if (!this.#dryRun) {
      await this.#repeat((limit) => this.#steps.release(limit));
      await this.#repeat((limit) => this.#steps.forgetEvents(this.#terms.now - EVENT_KEY_MS, limit));
    }
    const { due, fresh, young } = await this.#judgeRows();
    if (!this.#dryRun) {
      if ((await this.#steps.epoch()) !== epoch) return false;
      await this.#mark(fresh);
    }
    for (const range of due) {
      if (!(await this.#letGo(range, epoch))) return false;
    }
    for (const range of [...fresh, ...young]) await this.#measure(range, this.#waiting);
    await this.#walkBlobs();
    await this.#addBlobsOfRows();
    return true;
  }

  get #dryRun(): boolean {
    return this.#terms.dryRun ?? false;
  }

  async #repeat(step: (limit: number) => Promise<{ readonly done: boolean }>): Promise<void> {
    for (let done = false; !done;) {
      this.#terms.signal?.throwIfAborted();
      ({ done } = await step(this.#terms.limit));
    }
  }

  /** Unreachable rows: those whose grace is over, those not marked yet, and the others. */
  async #judgeRows(): Promise<{ due: LogRange[]; fresh: LogRange[]; young: LogRange[] }> {
    const logs: LogRange[] = [];
    const reached: LogRange[] = [];
    for await (const { log, reaches } of this.#walk((after, limit) => this.#steps.survey(after, limit))) {
      logs.push(log);
      reached.push(...reaches);
    }
    const dead = subtractRanges(logs, reached);
    const marked = await this.#steps.markedRanges();
    const due = commonRanges(
      dead,
      marked.filter(({ since }) => since <= this.#terms.before),
    );
    const young = subtractRanges(commonRanges(dead, marked), due);
    const fresh = await this.#withRows(subtractRanges(dead, marked));
    // Without a grace there is nothing to wait for.
    return this.#terms.before >= this.#terms.now
      ? { due: [...due, ...fresh], fresh: [], young }
      : { due, fresh, young };
  }

  async #withRows(ranges: readonly LogRange[]): Promise<LogRange[]> {
    const filled: LogRange[] = [];
    for (const range of ranges) {
      this.#terms.signal?.throwIfAborted();
      if ((await this.#steps.measureRows(range, 1)).rows > 0) filled.push(range);
    }
    return filled;
  }

  async #mark(ranges: readonly LogRange[]): Promise<void> {
    const { limit, now } = this.#terms;
    for (let at = 0; at < ranges.length; at += limit) {
      await this.#steps.markRanges(ranges.slice(at, at + limit), now);
    }
  }

  async #letGo(range: LogRange, epoch: number): Promise<boolean> {
    if (this.#dryRun) {
      await this.#measure(range, this.#gone);
      return true;
    }
    for (let next: number | null = range.lo; next !== null;) {
      this.#terms.signal?.throwIfAborted();
      const terms = { limit: this.#terms.limit, epoch };
      const step: RangeStep | undefined = await this.#steps.removeRows({ ...range, lo: next }, terms);
      if (step === undefined) return false;
      this.#gone.rows += step.rows;
      this.#gone.bytes += step.bytes;
      next = step.next;
    }
    await this.#steps.unmarkRange(range);
    return true;
  }

  async #measure(range: LogRange, amount: { rows: number; bytes: number }): Promise<void> {
    for (let next: number | null = range.lo; next !== null;) {
      this.#terms.signal?.throwIfAborted();
      const step: RangeStep = await this.#steps.measureRows({ ...range, lo: next }, this.#terms.limit);
      amount.rows += step.rows;
      amount.bytes += step.bytes;
      for (const digest of step.refs) this.#deadRefs.set(digest, (this.#deadRefs.get(digest) ?? 0) + 1);
      next = step.next;
    }
  }

  async #walkBlobs(): Promise<void> {
    const { limit, before, now } = this.#terms;
    for (let after: number | null = 0; after !== null;) {
      this.#terms.signal?.throwIfAborted();
      const page: WalkPage<LooseBlob> = await this.#steps.looseBlobs(after, limit);
      after = page.next;
      const held = await this.#heldOf(page.items.map(({ digest }) => digest));
      const loose = page.items.filter(({ digest }) => !held.has(digest));
      const fresh = loose.filter(({ since }) => since === null);
      if (!this.#dryRun && fresh.length > 0)
        await this.#steps.markBlobs(
          fresh.map(({ digest }) => digest),
          now,
        );
      const due = loose.filter(({ since }) => (since ?? now) <= before);
      await this.#removeBlobs(due);
      for (const blob of loose) if (!due.includes(blob)) addBlob(this.#waiting, blob.bytes);
    }
  }

  async #removeBlobs(due: readonly LooseBlob[]): Promise<void> {
    if (this.#dryRun) for (const { bytes } of due) addBlob(this.#gone, bytes);
    if (this.#dryRun || due.length === 0) return;
    const removed = await this.#steps.removeBlobs(
      due.map(({ digest }) => digest),
      this.#terms.before,
    );
    this.#gone.blobs += removed.blobs;
    this.#gone.bytes += removed.bytes;
  }

  /** Blobs that only rows which are to go refer to go after them. */
  async #addBlobsOfRows(): Promise<void> {
    const digests = [...this.#deadRefs.keys()];
    for (let at = 0; at < digests.length; at += this.#terms.limit) {
      const counts = await this.#steps.countRefs(digests.slice(at, at + this.#terms.limit));
      for (const [digest, { refs, bytes }] of counts) {
        if (refs === this.#deadRefs.get(digest)) addBlob(this.#waiting, bytes);
      }
    }
  }

  /** What is no list of digests may be an answer that was forgotten: nothing goes then. */
  async #heldOf(digests: readonly string[]): Promise<ReadonlySet<string>> {
    const { holds, signal } = this.#terms;
    if (digests.length === 0 || holds === undefined) return NONE;
    const held: unknown = await (signal ? untilAborted(signal, async () => holds(digests)) : holds(digests));
    const list = typeof held === "object" && held !== null && Symbol.iterator in held ? held : [undefined];
    const set = new Set(list as Iterable<unknown>);
    if ([...set].every((digest) => typeof digest === "string")) return set as ReadonlySet<string>;
    throw invalidRequest("holds", "must answer a list of digests");
  }

  async *#walk<T>(page: (after: number, limit: number) => Promise<WalkPage<T>>): AsyncGenerator<T> {
    for (let after: number | null = 0; after !== null;) {
      this.#terms.signal?.throwIfAborted();
      const { items, next }: WalkPage<T> = await page(after, this.#terms.limit);
      yield* items;
      after = next;
    }
  }
}

function addBlob(amount: { blobs: number; bytes: number }, bytes: number): void {
  amount.blobs += 1;
  amount.bytes += bytes;
}
