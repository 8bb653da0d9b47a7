import { canonicalJson } from "@basis/core";
import { diceOf, type Dice } from "../../src/conformance/random-walk.ts";
import { appender, canceller, forker, keeper, reader, rebaser, resumer, time } from "./actors.ts";
import { checkWorld, textsOf, unreachedRows, type Seen } from "./oracle.ts";
import { Schedule, type Actor } from "./schedule.ts";
import {
  appendAsked,
  commitFork,
  count,
  nextMessages,
  newWorld,
  noteAppend,
  refused,
  says,
  type World,
} from "./world.ts";

/** What one interleaving was. */
export interface Interleaving {
  readonly world: World;
  readonly seen: Seen;
  readonly turns: number;
  readonly crashes: number;
}

const KINDS = [appender, canceller, forker, resumer, keeper, reader, time];

/**
 * Plays one interleaving: five to nine actors on one store, killed at any await in two of three cases, looked at after
 * every turn; then what the killed ones had asked for is repeated, and everything is looked at again.
 *
 * @throws Error for the first thing that doesn't hold.
 */
export async function playInterleaving(seed: number): Promise<Interleaving> {
  const dice = diceOf(seed);
  const world = newWorld(dice);
  const seen: Seen = new Map();
  const isDeep = dice(12) === 0;
  await begin(world, isDeep);
  const schedule = new Schedule(dice, dice(3) === 0 ? 0 : 4 + dice(12));
  // A look costs more than a turn: most cases look at every fourth.
  const every = dice(4) === 0 ? 1 : 4;
  const look = (): void => {
    if (schedule.turns % every === 0) checkWorld(world, seen);
  };
  await schedule.play(cast(world, isDeep), look);
  checkWorld(world, seen);
  await recover(world);
  checkWorld(world, seen);
  await tidy(world);
  checkWorld(world, seen);
  return { world, seen, turns: schedule.turns, crashes: schedule.crashes };
}

/** Some of everybody; a rebase where there is something to rebase. */
function cast(world: World, isDeep: boolean): Actor[] {
  const more = Array.from({ length: 1 + world.dice(5) }, () => KINDS[world.dice(KINDS.length)]!);
  const kinds = [appender, forker, appender, time, ...more];
  return [...kinds.map((kind) => kind(world)), ...(isDeep ? [rebaser(world)] : [])];
}

/** Two sessions with some messages; the first of a deep case has so many spans that it can be rebased. */
async function begin(world: World, isDeep: boolean): Promise<void> {
  const { store, dice } = world;
  for (const member of ["root", "other"]) {
    const { id } = await store.createSession({ member, role: "general" });
    const lease = await store.acquireLease(id, { owner: "beginner", ttlMs: 1000 });
    let rev = 0;
    for (let left = dice(5); left > 0; left -= 1) {
      const { openCalls } = await store.head(id);
      const messages = nextMessages(world, openCalls);
      const result = await store.append(id, { lease, expectedRev: rev, messages });
      ({ rev } = result);
      world.appends.push({ sessionId: id, result });
    }
    const { settledLen } = await store.head(id);
    if (isDeep && member === "root") {
      await store.cancel(id, { lease, expectedRev: rev, to: settledLen, reason: "open" });
      for (let at = 0; at < 34; at += 1) await splitSpan(world, { id, lease, rev: rev + 1 + 2 * at });
    }
    await store.releaseLease(lease);
  }
}

/** Says two things and takes the second back: the next row begins another span. */
async function splitSpan(
  { store, next }: World,
  at: {
    readonly id: string;
    readonly lease: Parameters<World["store"]["releaseLease"]>[0];
    readonly rev: number;
  },
): Promise<void> {
  const { id, lease, rev } = at;
  const messages = [says(`kept ${next()}`), says(`wrong ${next()}`)];
  const { len } = await store.append(id, { lease, expectedRev: rev, messages });
  await store.cancel(id, { lease, expectedRev: rev + 1, to: len - 1, reason: "wrong" });
}

/** Another process takes over: it repeats what was asked for and not answered, and seats what is left. */
async function recover(world: World): Promise<void> {
  const { store, clock } = world;
  clock.advance(3_600_000);
  for (const asked of world.askedAppends.values()) {
    const said = textsOf(world, asked.sessionId);
    const wasThere = said.has(canonicalJson(asked.messages[0]));
    const { rev, state } = await store.head(asked.sessionId);
    if (state !== "ready") continue;
    const lease = await store.acquireLease(asked.sessionId, { owner: "recoverer", ttlMs: 50 });
    try {
      const result = await appendAsked(world, asked, { lease, expectedRev: rev });
      if (wasThere && !result.replayed) throw new Error(`${asked.writeId} was written twice`);
      noteAppend(world, asked, result);
    } catch (error) {
      refused(world, error);
    }
    await store.releaseLease(lease);
  }
  for (const asked of world.askedForks.values()) await repeatFork(world, asked);
  for (const { id } of (await store.operations.list({ state: "committed", limit: 1000 })).items) {
    const claim = await store.operations.claim({ operationId: id, owner: "recoverer", ttlMs: 50 });
    await store.forks.seat({ claim });
    world.ends.set(id, "seated");
    count(world, "recovered");
  }
}

async function repeatFork(world: World, asked: Parameters<typeof commitFork>[1]): Promise<void> {
  const wasThere = world.state.operationKeys.get(asked.key);
  try {
    const { operation, replayed } = await commitFork(world, asked);
    if (wasThere !== undefined && !(replayed && operation.id === wasThere)) {
      throw new Error(`${asked.key} has made a second child`);
    }
    world.keys.set(asked.key, operation.id);
  } catch (error) {
    refused(world, error);
    if (wasThere !== undefined) throw error;
  }
  world.clock.advance(100);
}

/** Upkeep in peace: afterwards nothing is kept that nobody reaches. */
async function tidy(world: World): Promise<void> {
  const { upkeep } = world.store;
  await upkeep.rebase();
  await upkeep.collect({ graceMs: 0 });
  await upkeep.collect({ graceMs: 0 });
  const left = unreachedRows(world);
  if (left > 0) throw new Error(`${left} rows are kept that nobody reaches`);
}

/** The dice of a case. */
export function caseSeed(seed: number, index: number): number {
  const dice: Dice = diceOf(seed + index);
  return dice(2 ** 31) ^ Math.imul(index, 0x9e3779b1);
}
