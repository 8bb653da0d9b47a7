import type { FitParts, NewTurn, QueuedTurn, TurnFit } from "../../../src/queue/queued-turn.ts";
import { digestJson } from "@basis/core";
import type { QueueWorker, SessionHold, TurnClaim, TurnEnding } from "../../../src/queue/turn-queue.ts";

const base: FitParts = {
  format: 1,
  release: "1",
  workspace: "/work",
  guards: "g1",
  policy: "p1",
  roster: "r1",
  tools: "t1",
  context: "c1",
  skills: "s1",
};

/** What a turn needs; by default what a probe has. */
export function fitOf(differing: Partial<FitParts> = {}): TurnFit {
  const parts = { ...base, ...differing };
  return { digest: digestJson(parts), parts };
}

let minted = 0;

/** A turn that nobody has queued yet. */
export function newTurn(given: Partial<NewTurn> = {}): NewTurn {
  minted += 1;
  const id = given.id ?? `turn-${process.pid}-${minted}`;
  return {
    sessionId: `session-of-${id}`,
    realm: "default",
    fit: fitOf(),
    prompt: "go",
    bounds: {},
    from: 0,
    ...given,
    id,
  };
}

/** A worker whose turns end when a test says so. */
export class ProbeWorker implements QueueWorker {
  readonly name = "probe";
  readonly concurrency: number;
  readonly fit: TurnFit = fitOf();
  /** The prompts or ids in the order in which they began. */
  readonly began: string[] = [];
  readonly misfits: (readonly [id: string, differing: readonly string[]])[] = [];
  most = 0;
  readonly #now = new Map<string, (ending: TurnEnding | Error) => void>();
  readonly #waiting = new Set<() => void>();
  readonly #endsItself: boolean;

  constructor({ concurrency = 4, endsItself = false }: { concurrency?: number; endsItself?: boolean } = {}) {
    this.concurrency = concurrency;
    this.#endsItself = endsItself;
  }

  /** The ids that run now. */
  get running(): readonly string[] {
    return [...this.#now.keys()];
  }

  async run({ turn, signal }: TurnClaim): Promise<TurnEnding> {
    this.began.push(turn.id);
    const ended = new Promise<TurnEnding | Error>((resolve) => this.#now.set(turn.id, resolve));
    signal.addEventListener("abort", () => this.end(turn.id, signal.reason as Error), { once: true });
    this.most = Math.max(this.most, this.#now.size);
    this.#tell();
    if (this.#endsItself) setImmediate(() => this.end(turn.id));
    const ending = await ended;
    this.#now.delete(turn.id);
    this.#tell();
    if (ending instanceof Error) throw ending;
    return ending;
  }

  end(id: string, ending: TurnEnding | Error = { outcome: "completed" }): void {
    this.#now.get(id)?.(ending);
  }

  holdOf: QueueWorker["holdOf"] = async () => "held" satisfies SessionHold;

  misfit(turn: QueuedTurn, differing: readonly string[]): void {
    this.misfits.push([turn.id, differing]);
    this.#tell();
  }

  /** Until something that this worker was told makes it true. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue())
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
  }

  #tell(): void {
    for (const wake of this.#waiting) wake();
  }
}
