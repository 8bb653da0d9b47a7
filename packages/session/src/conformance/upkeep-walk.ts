import { redactModelMessage } from "../redact-model-message.ts";
import { upkeepOf } from "./collection-chapter.ts";
import { ensure } from "./assertions.ts";
import { onStore, type ConformanceCase } from "./case.ts";
import {
  checkWalk,
  diceOf,
  forkOff,
  push,
  rootBranch,
  takeStep,
  type Branch,
  type Dice,
  type Step,
} from "./random-walk.ts";
import { says, type AnyStore } from "./actor.ts";

/** Spans that a walk begins with. */
const LEVELS = 31;

/**
 * Appends, cancels and deep forks at random, with deletions, collections, redactions and rebases in between; holds the
 * living transcripts against plain lists: the one worked on after each step, every one after each fourth. The same seed
 * takes the same steps. For stores with `upkeep`.
 */
export function upkeepWalk(seed: number, steps = 120): ConformanceCase {
  const name = `F113, S32: a random walk with upkeep keeps every invariant (seed ${seed}, ${steps} steps)`;
  return onStore(name, async ({ store }) => {
    const dice = diceOf(seed);
    const branches = [await deepBranch(store, dice)];
    for (let at = 0; at < steps; at += 1) {
      const branch = dice(2) === 0 ? branches.at(-1)! : branches[dice(branches.length)]!;
      const step: Step = { branch, branches, dice, name: `b${at + 1}` };
      await Promise.all([tend(store, step), dice(3) === 0 ? deepen(step) : takeStep(step)]);
      await checkWalk(store, { branch, branches, isDue: at % 4 === 3 });
    }
    await upkeepOf(store).rebase();
    await upkeepOf(store).collect({ graceMs: 0 });
    await checkWalk(store, { branches, isDue: true });
  });
}

/** A fork of a fork … nearly as deep as a lineage may be; its ancestors are left alone. */
async function deepBranch(store: AnyStore, dice: Dice): Promise<Branch> {
  const branches: Branch[] = [await rootBranch(store)];
  for (let level = 0; level < LEVELS; level += 1) {
    const branch = branches.at(-1)!;
    await push(branch, says(`level ${level}`), []);
    await deepen({ branch, branches, dice, name: `level-${level}` });
  }
  return branches.at(-1)!;
}

/** A fork of a branch's last boundary, so that lineages grow. */
function deepen(step: Step): Promise<void> {
  const { open } = step.branch;
  return forkOff(
    step,
    open.findLastIndex(({ length }) => length === 0),
  );
}

/** Upkeep beside the step; what it deletes or redacts is not what the step works on. */
async function tend(store: AnyStore, { branch, branches, dice }: Step): Promise<void> {
  const upkeep = upkeepOf(store);
  const choice = dice(8);
  const other = branches[dice(branches.length)]!;
  if (choice === 0) await upkeep.collect({ graceMs: 0, stepSize: 1 + dice(5) });
  if (choice === 1) await upkeep.rebase({ stepSize: 1 + dice(5) });
  if (choice === 2 && other !== branch && branches.length > 4) await remove(store, branches, other);
  if (choice === 3 && other !== branch) await redact(store, branches, { branch: other, position: dice(40) });
}

async function remove(store: AnyStore, branches: Branch[], branch: Branch): Promise<void> {
  branches.splice(branches.indexOf(branch), 1);
  await store.setState(branch.actor.sessionId, { state: "tombstone" });
}

/** Redacts one message, in the plain lists of every branch that has it too. */
async function redact(
  store: AnyStore,
  branches: readonly Branch[],
  { branch, position }: { readonly branch: Branch; readonly position: number },
): Promise<void> {
  const digest = branch.digests[position + 1];
  if (digest === undefined) return;
  const { sessionId } = branch.actor;
  for await (const { id } of store.read(sessionId, { from: position, to: position + 1 })) {
    const report = await upkeepOf(store).redact({ sessionId, messageIds: [id] });
    ensure(report.messages <= 1, "one message was named");
  }
  for (const each of branches) {
    const body = each.digests[position + 1] === digest ? each.bodies[position] : undefined;
    if (body !== undefined) each.bodies[position] = redactModelMessage(body);
  }
}
