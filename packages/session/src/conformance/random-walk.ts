import { isSessionError } from "../session-error.ts";
import type { ModelMessage } from "../model-message-shape.ts";
import { actor, answers, asks, says, type Actor, type AnyStore } from "./actor.ts";
import { ensure, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceCase } from "./case.ts";

/** What a transcript must be, kept beside the store as plain lists. */
export interface Branch {
  readonly actor: Actor;
  bodies: ModelMessage[];
  /** Prefix digests by length, as the store answered them when the length was first reached. */
  digests: string[];
  /** The open calls by length. */
  open: (readonly string[])[];
  readonly baseLen: number;
}

/** Numbers that look random and repeat with their seed. */
export type Dice = (sides: number) => number;

/**
 * Appends, cancels and forks at random, and holds the transcripts against plain lists: the one worked on after each step,
 * every one after each fourth. The same seed takes the same steps.
 */
export function randomWalk(seed: number, steps = 40): ConformanceCase {
  return onStore(`a random walk keeps every invariant (seed ${seed}, ${steps} steps)`, async ({ store }) => {
    const dice = diceOf(seed);
    const branches = [await rootBranch(store)];
    for (let step = 0; step < steps; step += 1) {
      const branch = branches[dice(branches.length)]!;
      await takeStep({ branch, branches, dice, name: `b${step + 1}` });
      await checkWalk(store, { branch, branches, isDue: step % 4 === 3 });
    }
    await checkWalk(store, { branches, isDue: true });
  });
}

/** Holds a branch against its lists, and all of them where that is due: what damages another one stays to be found. */
export async function checkWalk(
  store: AnyStore,
  walk: { readonly branch?: Branch; readonly branches: readonly Branch[]; readonly isDue: boolean },
): Promise<void> {
  const { branch, branches, isDue } = walk;
  const checked = isDue ? branches : branches.filter((each) => each === branch || each === branches.at(-1));
  for (const each of checked) await checkBranch(store, each);
}

/** The branch that a walk begins with. */
export async function rootBranch(store: AnyStore): Promise<Branch> {
  const root = await actor(store, "b0");
  const { digest } = await store.prefix(root.sessionId, 0);
  return { actor: root, bodies: [], digests: [digest], open: [[]], baseLen: 0 };
}

/** One step of a walk. */
export interface Step {
  readonly branch: Branch;
  readonly branches: Branch[];
  readonly dice: Dice;
  /** For what the step creates. */
  readonly name: string;
}

/** Appends, cancels or forks, as the dice say. */
export async function takeStep(step: Step): Promise<void> {
  const { branch, dice } = step;
  const choice = dice(10);
  if (choice < 6) return extend(step);
  if (choice < 7) return rollBack(branch, dice);
  return forkOff(step, dice(branch.bodies.length + 2));
}

async function extend({ branch, dice, name }: Step): Promise<void> {
  const open = branch.open.at(-1)!;
  const [first] = open;
  if (first !== undefined && dice(4) > 0) return push(branch, answers(first), open.slice(1));
  if (first !== undefined) return refuseInterruption(branch);
  const calls = dice(3) === 0 ? [`${name}-x`, `${name}-y`].slice(0, 1 + dice(2)) : [];
  const long = dice(8) === 0 ? "long ".repeat(4000) : "";
  const message = calls.length > 0 ? asks(...calls) : says(`${long}${name}`);
  return push(branch, message, calls);
}

/** Appends a message that leaves these calls open. */
export async function push(branch: Branch, message: ModelMessage, open: readonly string[]): Promise<void> {
  const { digest } = await branch.actor.append([message]);
  branch.bodies.push(message);
  branch.digests.push(digest);
  branch.open.push(open);
}

async function refuseInterruption(branch: Branch): Promise<void> {
  const refused = await branch.actor.append([says("meanwhile")]).catch((error: unknown) => error);
  ensure(isSessionError(refused, "open_calls"), "nothing interrupts a group of calls");
}

async function rollBack(branch: Branch, dice: Dice): Promise<void> {
  const to = branch.baseLen + dice(branch.bodies.length - branch.baseLen + 1);
  const outcome = await branch.actor.cancel({ to }).catch((error: unknown) => error);
  if (branch.open[to]!.length > 0) {
    ensure(isSessionError(outcome, "invalid_boundary"), `a cancel to ${to} would split a group`);
    return;
  }
  ensure(!(outcome instanceof Error), `a cancel to ${to} is allowed`);
  branch.bodies = branch.bodies.slice(0, to);
  branch.digests = branch.digests.slice(0, to + 1);
  branch.open = branch.open.slice(0, to + 1);
}

/** Forks a branch at a length, which may be no boundary. */
export async function forkOff({ branch, branches, name }: Step, at: number): Promise<void> {
  const outcome: unknown = await branch.actor
    .fork(name, { at, allowEmpty: true })
    .catch((error: unknown) => error);
  const open = branch.open[at];
  if (open === undefined || open.length > 0) {
    ensure(isSessionError(outcome, "fork_boundary"), `no fork at ${at}`);
    return;
  }
  ensure(!(outcome instanceof Error), `a fork at ${at} is allowed: ${String(outcome)}`);
  branches.push({
    actor: outcome as Actor,
    bodies: branch.bodies.slice(0, at),
    digests: branch.digests.slice(0, at + 1),
    open: branch.open.slice(0, at + 1),
    baseLen: at,
  });
}

/** Holds a branch against its plain lists. */
export async function checkBranch(store: AnyStore, branch: Branch): Promise<void> {
  const { sessionId, member } = branch.actor;
  const rows = await branch.actor.rows();
  ensureSame(
    rows.map(({ body }) => body),
    branch.bodies,
    `the transcript of ${member}`,
  );
  ensureSame(
    rows.map(({ position }) => position),
    rows.map((_, index) => index),
    `positions of ${member}`,
  );
  ensureSame(
    rows.map(({ digest }) => digest),
    branch.digests.slice(1),
    `the digests of ${member}`,
  );
  ensureSame(
    rows.map(({ openAfter }) => openAfter),
    branch.open.slice(1).map(({ length }) => length),
    `the open counts of ${member}`,
  );
  const { len, settledLen, headDigest, openCalls, baseLen } = await store.head(sessionId);
  const settled = branch.open.findLastIndex(({ length }) => length === 0);
  ensureSame(
    [len, settledLen, headDigest, openCalls.length, baseLen],
    [branch.bodies.length, settled, branch.digests.at(-1), branch.open.at(-1)!.length, branch.baseLen],
    `the head of ${member}`,
  );
}

/** Source: the mulberry32 generator, in the public domain. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}
