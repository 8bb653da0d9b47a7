import { isSessionError, type Lease, type ModelMessage } from "@mobkit/session";
import type { PostgresStore } from "../../src/index.ts";
import { says } from "../support/test-database.ts";
import type { Dice } from "./dice.ts";

type Store = PostgresStore<ModelMessage>;

/** A machine that works on a session of its own and remembers what was acknowledged. */
export class Worker {
  readonly texts: string[] = [];
  readonly children: {
    readonly member: string;
    readonly sessionId: string;
    readonly texts: readonly string[];
  }[] = [];
  readonly #store: Store;
  readonly #name: string;
  readonly #dice: Dice;
  #sessionId = "";
  #lease!: Lease;
  #rev = 0;
  #inputs = 0;

  constructor(store: Store, name: string, dice: Dice) {
    this.#store = store;
    this.#name = name;
    this.#dice = dice;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  async run(steps: number): Promise<void> {
    const { id } = await this.#store.createSession({
      member: this.#name,
      role: "general",
      id: `s-${this.#name}`,
    });
    this.#sessionId = id;
    this.#lease = await this.#store.acquireLease(id, { owner: this.#name, ttlMs: 3_600_000 });
    for (let step = 0; step < steps; step += 1) await this.#step(step);
  }

  async #step(step: number): Promise<void> {
    const choice = this.#dice(10);
    if (choice < 5) return this.#append(step, {});
    if (choice < 6) return this.#append(step, { sideState: [{ kind: "step", onFork: "copy", value: step }] });
    if (choice < 7) return this.#adjust(step);
    if (choice < 8 && this.texts.length > 1) return this.#cancel();
    if (this.texts.length > 0) return this.#fork(step);
  }

  async #append(step: number, beside: object): Promise<void> {
    const text = `${this.#name} ${step}`;
    const writeId = this.#dice(2) === 0 ? { writeId: `w${step}` } : {};
    const request = {
      lease: this.#lease,
      expectedRev: this.#rev,
      messages: [says(text)],
      ...writeId,
      ...beside,
    };
    this.#rev = (await this.#store.append(this.#sessionId, request)).rev;
    this.texts.push(text);
  }

  async #cancel(): Promise<void> {
    const to = this.#dice(this.texts.length);
    const request = { lease: this.#lease, expectedRev: this.#rev, to, reason: "wrong" };
    this.#rev = (await this.#store.cancel(this.#sessionId, request)).rev;
    this.texts.length = to;
  }

  async #adjust(step: number): Promise<void> {
    const by = this.#inputs === 0 ? 1 : -1;
    const counts = await this.#store.adjustWork(this.#sessionId, { queuedInputs: by, writeId: `a${step}` });
    this.#inputs += by;
    if (counts.queuedInputs !== this.#inputs)
      throw new Error(`${counts.queuedInputs} inputs, not ${this.#inputs}`);
  }

  async #fork(step: number): Promise<void> {
    const at = 1 + this.#dice(this.texts.length);
    const member = `${this.#name}-child-${step}`;
    const { operation, session, claim } = await this.#store.forks.commit({
      source: { member: this.#name, sessionId: this.#sessionId },
      child: { member, role: "general", labels: {} },
      at,
      whileRunning: "settled",
      request: {},
      requestDigest: member,
      claim: { owner: this.#name, ttlMs: 3_600_000 },
    });
    const texts = this.texts.slice(0, at);
    this.children.push({ member, sessionId: session.id, texts });
    if (this.#dice(4) > 0) {
      await this.#store.forks.seat({ claim: claim! });
      return;
    }
    // A host that went away: another claim takes over, and the first one's is stale.
    await this.#store.operations.fail(claim!, { reason: "went away" });
    const next = await this.#store.operations.claim({
      operationId: operation.id,
      owner: "other",
      ttlMs: 1000,
    });
    await this.#store.forks.seat({ claim: next });
    const late = await this.#store.forks.seat({ claim: claim! }).catch((error: unknown) => error);
    if (!isSessionError(late, "stale_claim")) throw new Error("a stale claim seated", { cause: late });
  }
}
