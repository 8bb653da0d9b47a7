import { insist } from "../../src/agent/transcript/insist.ts";
import { fitOf, newTurn } from "../queue/support/probe-worker.ts";
import { randomOf } from "../campaigns/campaign-size.ts";
import { ModelDatabase } from "./model-database.ts";
import { ModelQueue } from "./model-queue.ts";
import { ModelWorker, type World } from "./model-worker.ts";
import { CALLS } from "./model-turn.ts";
import { Network } from "./network.ts";
import { LEASE_MS, type Rules } from "./rules.ts";
import { Machine, VirtualTime } from "./virtual-time.ts";

const FAULTS_END_MS = 6_000;
const LIMIT_MS = 60_000;
const MACHINES = 3;
/** About as many steps of turns as a schedule has. */
const STEPS = 45;
const fits = [fitOf(), fitOf({ guards: "others" })];

/** One schedule of workers, kills, freezes, cuts and clock jumps, the same for the same number; answers what went wrong. */
export async function simulate(seed: number, index: number, rules: Rules): Promise<readonly string[]> {
  const random = randomOf(seed, index);
  const time = new VirtualTime();
  const network = new Network(time, random);
  const database = new ModelDatabase(time);
  let step = (_machine: Machine): void => undefined;
  const world: World = {
    time,
    network,
    database,
    queue: new ModelQueue(rules),
    rules,
    random,
    step: (machine) => step(machine),
  };
  const schedule = new Schedule(world, index % 3 === 0);
  step = (machine) => schedule.step(machine);
  await schedule.begin();
  await time.pass(LIMIT_MS, () => schedule.isOver);
  return [...database.wrongs, ...schedule.lateTakeovers(), ...(await endOf(world, schedule.turns))];
}

interface Fault {
  readonly at: number;
  readonly sessions: readonly string[];
}

class Schedule {
  readonly turns: { readonly id: string; readonly sessionId: string }[] = [];
  readonly #world: World;
  /** One fault, of a worker that is gone for long: what it held is taken over in time. */
  readonly #isSingle: boolean;
  readonly #machines: Machine[] = [];
  readonly #faults: Fault[] = [];
  readonly #atSteps = new Set<number>();
  #steps = 0;
  #begun = 0;
  #queued = 0;

  constructor(world: World, isSingle: boolean) {
    this.#world = world;
    this.#isSingle = isSingle;
  }

  get isOver(): boolean {
    const { time, queue } = this.#world;
    return time.now > FAULTS_END_MS && this.#queued === this.turns.length && queue.isDone;
  }

  async begin(): Promise<void> {
    const { random, database } = this.#world;
    for (let place = 0; place < MACHINES; place += 1) this.#boot(place);
    for (const id of ["a1", "a2", "b1"]) {
      const sessionId = id.slice(0, 1);
      await database.store
        .createSession({ id: sessionId, member: `${sessionId}${id}`, role: "main" })
        .catch(() => undefined);
      this.turns.push({ id, sessionId });
    }
    void this.#queueTurns();
    const faults = this.#isSingle ? 1 : 2 + Math.floor(random() * 5);
    for (let fault = 0; fault < faults; fault += 1) this.#atSteps.add(Math.floor(random() * STEPS));
    for (const machine of this.#machines) if (random() < 0.7) machine.aheadMs += jump(random);
  }

  /** Sessions of a worker that was gone for good and that nobody took within twice the lease. */
  lateTakeovers(): readonly string[] {
    const { database, queue } = this.#world;
    // Where nobody took it, its end was on its way when the worker was gone; or nobody ever will.
    const never = queue.isDone ? 0 : Infinity;
    return this.#faults.flatMap(({ at, sessions }) =>
      sessions
        .map((session) => database.takings.find((taking) => taking.session === session && taking.at >= at))
        .map((taking) => (taking?.at ?? never) - at)
        .filter((ms) => ms > 2 * LEASE_MS)
        .map((ms) => `taken over late: after ${ms} ms`),
    );
  }

  /** A machine is about to take a step of a turn. */
  step(machine: Machine): void {
    const { random, time } = this.#world;
    this.#steps += 1;
    if (this.#atSteps.has(this.#steps) && time.now < FAULTS_END_MS)
      time.after(random() * 12, () => this.#fault(machine));
  }

  #boot(place: number): void {
    const { time } = this.#world;
    this.#begun += 1;
    const machine = new Machine(`m${this.#begun}`, time);
    this.#machines[place] = machine;
    const isOther = !this.#isSingle && place === MACHINES - 1;
    new ModelWorker(machine, fits[isOther ? 1 : 0]!, this.#world).start();
  }

  /** Whoever queues hears of it by the network as well. */
  async #queueTurns(): Promise<void> {
    const { network, queue, time } = this.#world;
    const client = new Machine("client", time);
    this.#world.time.after(5, () => this.#world.random() < 0.3 && network.cut(client, 30));
    for (const { id, sessionId } of this.turns) {
      const fit = fits[!this.#isSingle && id === "b1" ? 1 : 0]!;
      const turn = newTurn({ id, sessionId, fit });
      const again = (): Promise<void> =>
        insist(() => network.call(client, () => queue.enqueue(turn, time.now))).catch(async () => {
          await client.pause(50);
          return again();
        });
      await again();
      this.#queued += 1;
    }
  }

  #fault(machine: Machine): void {
    const { random, time, network, queue, database } = this.#world;
    if (machine.isDead) return;
    const place = this.#machines.indexOf(machine);
    const kind = random();
    const ms = this.#isSingle ? 3 * LEASE_MS : random() * 2 * LEASE_MS;
    if (this.#isSingle) {
      const held = queue.rows.filter(
        ({ turn: { state, worker } }) => state === "running" && worker === machine.name,
      );
      const sessions = held
        .map(({ turn }) => turn.sessionId)
        .filter((id) => database.takings.findLast(({ session }) => session === id)?.machine === machine.name);
      this.#faults.push({ at: time.now, sessions });
    }
    if (kind < 0.35) {
      machine.isDead = true;
      time.after(this.#isSingle ? ms : random() * 3_000, () => this.#boot(place));
    } else if (kind < 0.65) {
      machine.freeze(ms);
      if (random() < 0.5) machine.aheadMs += jump(random);
    } else if (kind < 0.85 || this.#isSingle) network.cut(machine, ms);
    else network.cut(machine, 5 + random() * 20);
  }
}

/** A clock is put forward or back by up to a minute. */
function jump(random: () => number): number {
  return (random() - 0.5) * 120_000;
}

function openIn({ rows }: World["queue"]): string {
  const open = rows.filter(({ turn }) => turn.state !== "ended");
  return open.map(({ turn }) => turn.id).join(" ");
}

/** Whether each turn has its rows, once and in order. */
async function endOf({ queue, database }: World, turns: Schedule["turns"]): Promise<readonly string[]> {
  if (!queue.isDone) return [`not ended: ${openIn(queue)}`];
  const row = [
    "user",
    ...Array.from({ length: CALLS }, () => ["assistant", "tool"]).flat(),
    "assistant",
  ].join(" ");
  const wrongs: string[] = [];
  for (const session of new Set(turns.map(({ sessionId }) => sessionId))) {
    const rows = await database.rowsOf(session);
    const ids = turns.filter(({ sessionId }) => sessionId === session).map(({ id }) => id);
    const expected = ids.map((id) => `${id}: ${row}`).join(" | ");
    const runs: string[] = [];
    let last: string | null | undefined;
    for (const { turn, body } of rows) {
      if (turn === last) runs[runs.length - 1] += ` ${body.role}`;
      else runs.push(`${turn}: ${body.role}`);
      last = turn;
    }
    if (runs.join(" | ") !== expected) wrongs.push(`rows lost or doubled: ${runs.join(" | ")}`);
    const missing = ids.flatMap((id) => (rows.some(({ turn }) => turn === id) ? [] : [id]));
    if (missing.length > 0) wrongs.push(`lost: ${missing.join(" ")}`);
  }
  return wrongs;
}
