import type { WriteResult } from "@mobkit/session";
import type { LeaseKeeper } from "../../src/agent/transcript/lease-keeper.ts";
import { insist } from "../../src/agent/transcript/insist.ts";
import type { QueuedTurn } from "../../src/queue/queued-turn.ts";
import { callOf, finalText, prompt, resultOf, stageOf } from "./turn-rows.ts";
import type { ModelWorker, World } from "./model-worker.ts";
import type { Machine } from "./virtual-time.ts";

/** What a turn is run with. */
export interface TurnPlace {
  readonly world: World;
  readonly worker: ModelWorker;
  readonly machine: Machine;
  readonly keeper: LeaseKeeper;
  readonly signal: AbortSignal;
}

type Append = Parameters<World["database"]["store"]["append"]>[1];
type Written = Pick<WriteResult, "rev" | "replayed">;
type Change = Omit<Append, "lease" | "expectedRev" | "writeId">;

/** How many calls each turn makes. */
export const CALLS = 2;

/** A turn from wherever it stands to its end: the order of steps is the host's. */
export class ModelTurn {
  readonly #turn: QueuedTurn;
  readonly #place: TurnPlace;
  #rev = 0;
  #writes = 0;

  constructor(turn: QueuedTurn, place: TurnPlace) {
    this.#turn = turn;
    this.#place = place;
  }

  async run(): Promise<void> {
    const { worker, world } = this.#place;
    const { id, sessionId } = this.#turn;
    const isMine = await this.#ask(() => world.queue.isOf(id, worker.name));
    if (!isMine) throw new Error("given away");
    const head = await this.#ask(() => world.database.store.head(sessionId));
    this.#rev = head.rev;
    const rows = await this.#ask(() => world.database.rowsOf(sessionId));
    const own = rows.filter(({ turn }) => turn === id);
    if (!world.rules.looksForRows || own.length === 0)
      await this.#append({ messages: [prompt(id)], runTurn: id });
    else if (head.runTurn !== id) return;
    await this.#goOn();
  }

  async #goOn(): Promise<void> {
    const { database } = this.#place.world;
    const { id, sessionId } = this.#turn;
    for (let isFirst = true; ; isFirst = false) {
      const rows = await this.#ask(() => database.rowsOf(sessionId));
      const { calls, open } = stageOf(rows.filter(({ turn }) => turn === id).map(({ body }) => body));
      if (open !== undefined) await this.#perform(open, `${id}.${calls}`, isFirst);
      else if (calls === CALLS) return this.#append({ messages: [finalText], runTurn: null, release: true });
      else {
        await this.#wait(300);
        this.#writes += 1;
        const callId = `${id}.${calls + 1}#${this.#place.keeper.lease.epoch}`;
        await this.#append({ messages: [callOf(callId)] });
      }
    }
  }

  /** Under `call` the effect is the same in every attempt. A call that a worker before this one began is of unknown outcome. */
  async #perform(callId: string, call: string, isFirst: boolean): Promise<void> {
    const { world, worker, keeper, machine } = this.#place;
    const { database, rules } = world;
    const wasBegun = await this.#ask(() => database.intents.has(call));
    if (wasBegun && isFirst) return this.#append({ messages: [resultOf(callId, "unknown")] });
    if (rules.writesIntents) await this.#intend(call);
    if (rules.confirms) await keeper.confirm();
    this.#place.signal.throwIfAborted();
    if (this.#turn.fit.digest !== worker.fit.digest) database.wrongs.push(`ran where it may not: ${call}`);
    database.act({ call, machine: machine.name }, keeper.lease);
    await this.#wait(world.random() < 0.2 ? 4_000 : 400);
    await this.#append({ messages: [resultOf(callId, "done")] });
  }

  async #intend(call: string): Promise<void> {
    const { store, intents } = this.#place.world.database;
    await this.#write((write) =>
      store.update(this.#turn.sessionId, { ...write, join: () => void intents.add(call) }),
    );
  }

  #append(change: Change): Promise<void> {
    const { store } = this.#place.world.database;
    const { sessionId, id } = this.#turn;
    return this.#write((write) => store.append(sessionId, { ...change, ...write, turnId: id }));
  }

  async #write(
    work: (write: Pick<Append, "lease" | "expectedRev" | "writeId">) => Promise<Written>,
  ): Promise<void> {
    const { world, keeper } = this.#place;
    const { rules, database } = world;
    this.#writes += 1;
    const writeId = `${this.#turn.id}:${keeper.lease.epoch}:${this.#writes}`;
    const attempt = async (): Promise<Written> => {
      const write = { lease: keeper.lease, expectedRev: this.#rev };
      if (rules.fences && rules.hasWriteIds) return work({ ...write, writeId });
      const { lease, rev } = await database.store.head(this.#turn.sessionId);
      const current = { ...keeper.lease, owner: lease.owner ?? "", epoch: lease.epoch };
      if (rules.fences) return work({ ...write, expectedRev: rev });
      return work({ lease: current, expectedRev: rev, writeId });
    };
    const once = async (): Promise<Written> => {
      const result = await attempt();
      if (!result.replayed) database.wrote(keeper.lease);
      return result;
    };
    const { rev } = await insist(() => this.#ask(once));
    this.#rev = rev;
  }

  async #ask<T>(work: () => Promise<T> | T): Promise<T> {
    const { worker, world, machine, signal } = this.#place;
    signal.throwIfAborted();
    world.step(machine);
    const answer = await worker.call(work);
    signal.throwIfAborted();
    return answer;
  }

  /** Up to that long, for a model or a tool. */
  async #wait(ms: number): Promise<void> {
    const { machine, world, signal } = this.#place;
    await machine.pause(world.random() * ms);
    signal.throwIfAborted();
  }
}
