import { manualClock, type ManualClock } from "@basis/core/testing";
import { memoryStore, type ForkOperation, type MemoryStore, type ModelMessage } from "@mobkit/session";
import { createForks, isForkError, type ForkResult, type Forks, type Provisioner } from "../../src/index.ts";
import { story } from "../support/messages.ts";
import { messages, seed as addMember } from "../support/sessions.ts";
import { diceOf, type Dice } from "./dice.ts";
import { HostSchedule } from "./host-schedule.ts";

/** A fork that may be asked for again by its key. */
interface Asked {
  readonly source: string;
  readonly child: string;
  readonly at: number | undefined;
  readonly says: string | undefined;
}

/** A store that several hosts work on, and what they were told. */
class Stage {
  readonly clock: ManualClock = manualClock();
  readonly store: MemoryStore<ModelMessage> = memoryStore({ clock: this.clock });
  readonly asked = new Map<string, Asked>();
  readonly answered: { readonly key: string; readonly result: ForkResult }[] = [];
  readonly abandoned = new Set<string>();
  /** What was built for an operation and not torn down. */
  readonly built = new Map<string, number>();
  readonly tally = new Map<string, number>();
  readonly dice: Dice;

  constructor(dice: Dice) {
    this.dice = dice;
  }

  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }

  add(operationId: string, by: number): void {
    this.built.set(operationId, (this.built.get(operationId) ?? 0) + by);
  }
}

/** Who can be forked, and what they have said. */
const SOURCES: Readonly<Record<string, readonly ModelMessage[]>> = {
  planner: story,
  writer: story.slice(0, 2),
};

type Store = MemoryStore<ModelMessage>;

/** What one case came to. */
export interface Played {
  readonly kills: number;
  readonly tally: ReadonlyMap<string, number>;
}

function ensure(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Plays one case: two to five hosts, each with some calls, killed in two of three cases; then another host ends what is left. `worsen` puts a mistake into the store that the hosts see. */
export async function playHosts(
  seed: number,
  worsen: (forks: Store["forks"]) => Store["forks"] = (forks) => forks,
): Promise<Played> {
  const dice = diceOf(seed);
  const stage = new Stage(dice);
  for (const [member, history] of Object.entries(SOURCES)) await addMember(stage.store, member, history);
  const schedule = new HostSchedule(dice);
  const failures: unknown[] = [];
  for (let host = 2 + dice(4); host > 0; host -= 1) {
    const forks = hostForks(stage, schedule, { host: `host ${host}`, worsen });
    void work(stage, forks).catch((error: unknown) => failures.push(error));
  }
  const killEvery = dice(3) === 0 ? 0 : 10 + dice(30);
  await schedule.play(killEvery, () => stage.clock.advance(dice(80)));
  if (failures.length > 0) throw failures[0];
  await recover(stage);
  await checkForks(stage, schedule.kills);
  await checkAnswers(stage);
  return { kills: schedule.kills, tally: stage.tally };
}

function hostForks(
  stage: Stage,
  schedule: HostSchedule,
  { host, worsen }: { readonly host: string; readonly worsen: (forks: Store["forks"]) => Store["forks"] },
): Forks<ModelMessage> {
  const { store, clock, dice } = stage;
  const provisioner: Provisioner<ModelMessage> = {
    async provision({ operationId }) {
      await schedule.turn(host);
      if (dice(5) === 0) throw new Error("no room");
      stage.add(operationId, 1);
      await schedule.turn(host);
      return {};
    },
    async tearDown({ operationId }) {
      await schedule.turn(host);
      stage.add(operationId, -1);
    },
    hasRole: () => true,
  };
  const gated = {
    ...schedule.gated(host, store),
    members: schedule.gated(host, store.members),
    operations: schedule.gated(host, store.operations),
    forks: schedule.gated(host, worsen(store.forks)),
  };
  return createForks({ store: gated, provisioner, clock, claimTtlMs: 50 });
}

/** Calls of one host, some of them at once. */
async function work(stage: Stage, forks: Forks<ModelMessage>): Promise<void> {
  for (let left = 1 + stage.dice(3); left > 0; left -= 1) {
    const calls = Array.from({ length: 1 + stage.dice(2) }, () => call(stage, forks));
    await Promise.all(calls);
  }
}

async function call(stage: Stage, forks: Forks<ModelMessage>): Promise<void> {
  try {
    if (stage.dice(4) > 0) return await fork(stage, forks);
    const { items } = await forks.listForks({ state: "committed" });
    const found = items[stage.dice(Math.max(1, items.length))];
    if (found === undefined) return;
    if (stage.dice(4) > 0) {
      await forks.resumeFork({ operationId: found.operationId });
      stage.count("resumed");
      return;
    }
    await forks.abandonFork({ operationId: found.operationId });
    stage.abandoned.add(found.operationId);
    stage.count("abandoned");
  } catch (error) {
    if (!isForkError(error)) throw error;
    stage.count(`refused: ${error.kind}`);
  }
}

async function fork(stage: Stage, forks: Forks<ModelMessage>): Promise<void> {
  const { dice, asked } = stage;
  const key = `key ${dice(4)}`;
  const request = asked.get(key) ?? {
    source: dice(2) === 0 ? "planner" : "writer",
    child: `child ${dice(4)}`,
    at: dice(2) === 0 ? undefined : 1 + dice(2),
    says: dice(2) === 0 ? undefined : "begin",
  };
  asked.set(key, request);
  const result = await ask(forks, key, request);
  stage.answered.push({ key, result });
  stage.count(result.replayed ? "replayed" : "forked");
}

function ask(
  forks: Forks<ModelMessage>,
  key: string,
  { source, child, at, says }: Asked,
): Promise<ForkResult> {
  const spec = { identity: child, role: "general", ...(says === undefined ? {} : { initialMessage: says }) };
  return forks.forkMember(source, spec, { idempotencyKey: key, ...(at === undefined ? {} : { at }) });
}

/** Another host, long after: everything that is committed can be seated, and a key that was used is answered. */
async function recover(stage: Stage): Promise<void> {
  const { store, clock } = stage;
  clock.advance(3_600_000);
  const provisioner: Provisioner<ModelMessage> = {
    provision: async ({ operationId }) => (stage.add(operationId, 1), {}),
    tearDown: async ({ operationId }) => stage.add(operationId, -1),
    hasRole: () => true,
  };
  const forks = createForks({ store, provisioner, clock });
  for (const { operationId, sessionId } of (await forks.listForks({ state: "committed" })).items) {
    const result = await forks.resumeFork({ operationId });
    ensure(result.sessionId === sessionId, `the resume of ${operationId} made another child`);
    stage.count("recovered");
  }
  for (const [key, asked] of stage.asked) {
    const before = await store.operations.ofKey(key);
    if (before?.state !== "seated") continue;
    const again = await ask(forks, key, asked);
    ensure(again.replayed && again.operationId === before.id, `${key} has made a second child`);
  }
}

async function checkForks({ store, abandoned, built }: Stage, kills: number): Promise<void> {
  const { items } = await store.operations.list({ limit: 1000 });
  const keys = items.map(({ idempotencyKey }) => idempotencyKey);
  ensure(new Set(keys).size === keys.length, "a key has made two children");
  const inputs = (await store.outbox.list({ kind: "session.input", limit: 1000 })).items;
  for (const operation of items) {
    const { id, state, initialMessage } = operation;
    ensure(state !== "committed", `${id} was left behind`);
    ensure(state === "abandoned" || !abandoned.has(id), `${id} is not abandoned any more`);
    const said = inputs.filter(({ key }) => key === `fork-input:${id}`).length;
    ensure(said === (state === "seated" && initialMessage !== null ? 1 : 0), `${id} began ${said} times`);
    if (state === "seated") await checkChild(store, operation);
    const left = built.get(id) ?? 0;
    const wanted = state === "seated" ? 1 : 0;
    ensure(left >= wanted && (kills > 0 || left === wanted), `for ${id} ${left} agents are left`);
  }
}

/** What a host was told is so for ever. */
async function checkAnswers({ store, answered, asked }: Stage): Promise<void> {
  for (const { key, result } of answered) {
    const operation = await store.operations.ofKey(key);
    ensure(
      operation?.id === result.operationId && operation.state === "seated",
      `the answer to ${key} is lost`,
    );
    ensure(operation.child.sessionId === result.sessionId, `${key} was answered with another child`);
    const { source, at } = asked.get(key)!;
    ensure(
      result.messageCount === (at ?? SOURCES[source]!.length),
      `${key} was answered with another length`,
    );
  }
}

/** A seated child has its name, and the prefix of its source. */
async function checkChild(store: Store, { id, source, child }: ForkOperation<ModelMessage>): Promise<void> {
  const { digest, openAfter } = await store.prefix(child.sessionId, source.len);
  ensure(digest === source.digest && openAfter === 0, `the child of ${id} has another prefix`);
  const history = (await messages(store, source.sessionId)).slice(0, source.len);
  const inherited = await messages(store, child.sessionId);
  ensure(JSON.stringify(inherited) === JSON.stringify(history), `the child of ${id} has another history`);
  const holder = await store.members.get(child.member);
  ensure(holder?.sessionId === child.sessionId, `the child of ${id} has lost its name`);
}
