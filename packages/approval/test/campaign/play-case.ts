import { manualClock, type ManualClock } from "@basis/core/testing";
import {
  ApprovalError,
  approvalDigest,
  createApprovalGate,
  memoryApprovalStore,
  type ApprovalGate,
  type ApprovalStore,
} from "../../src/index.ts";
import { mutations, TTL_MS } from "./mutations.ts";
import type { Choices } from "./random.ts";
import { requestOf, World, type Facts } from "./world.ts";

/** What a person said yes to. */
interface Yes {
  readonly callKey: string;
  readonly digest: string;
  readonly facts: string;
  readonly at: number;
  used: boolean;
}

/** One case as it went: what ran, and everything that should not have. */
export interface Played {
  readonly steps: readonly string[];
  readonly ran: number;
  readonly refused: number;
  readonly violations: readonly string[];
}

interface Case {
  readonly world: World;
  readonly clock: ManualClock;
  readonly choices: Choices;
  readonly host: Host;
  readonly gate: ApprovalGate;
  readonly store: ApprovalStore;
  readonly yeses: Yes[];
  readonly steps: string[];
  readonly violations: string[];
  ran: number;
  refused: number;
}

const KEYS = ["call-1", "call-1", "call-1", "call-2"] as const;

/** A host that derives everything again before it executes, or one that redeems what it remembers. */
export type Host = "careful" | "careless";

/** Plays one random case: judgements, answers, changes and attempts to execute, in any order. */
export async function playCase(choices: Choices, host: Host = "careful"): Promise<Played> {
  const clock = manualClock();
  const store = memoryApprovalStore();
  const parks = choices.below(2) === 0;
  const yeses: Yes[] = [];
  const world = new World();
  const gate = createApprovalGate({
    clock,
    store,
    grantTtlMs: TTL_MS,
    parkTtlMs: TTL_MS,
    onAsk: parks ? "park" : "approve",
    approver: {
      name: "person",
      approve({ callKey, digest }) {
        yeses.push({ callKey, digest, facts: JSON.stringify(world.facts()), at: clock.now(), used: false });
        return { decision: "allow" };
      },
    },
  });
  const played: Case = {
    world,
    clock,
    choices,
    host,
    gate,
    store,
    yeses,
    steps: [],
    violations: [],
    ran: 0,
    refused: 0,
  };
  try {
    await judge(played, "call-1");
    for (let count = 1 + choices.below(6); count > 0; count -= 1) await step(played);
    await execute(played, "call-1");
    await execute(played, "call-1");
  } finally {
    world.remove();
  }
  return played;
}

async function step(played: Case): Promise<void> {
  const { choices } = played;
  const roll = choices.below(10);
  if (roll < 6) return mutate(played);
  if (roll < 7) return judge(played, choices.pick(KEYS));
  if (roll < 9) return answer(played);
  return execute(played, choices.pick(KEYS));
}

function mutate({ world, clock, choices, steps }: Case): void {
  const mutation = choices.pick(mutations);
  steps.push(mutation.kind);
  mutation.apply(world, choices, clock);
}

async function judge(played: Case, callKey: string): Promise<void> {
  const { gate, world, steps } = played;
  const outcome = await gate.authorize(requestOf(world.facts(), callKey));
  steps.push(`judged ${callKey}: ${outcome.decision}`);
}

/** An operator answers an open question, perhaps twice and differently; the first answer counts. */
async function answer({ store, world, clock, choices, yeses, steps, violations }: Case): Promise<void> {
  const [open] = await store.list({ state: "open" });
  if (open === undefined) return;
  const decisions = choices.pick([
    ["allow"],
    ["deny"],
    ["allow", "allow"],
    ["allow", "deny"],
    ["deny", "allow"],
  ] as const);
  for (const [at, decision] of decisions.entries()) {
    const result = await store.resolve(open.approvalId, { decision, by: "operator", at: clock.now() });
    steps.push(`answered ${decision}: ${result.ok}`);
    if (at > 0 && result.ok) violations.push("a second answer counted");
    if (!result.ok || decision === "deny") continue;
    const facts = factsBehind(open.digest, world, open.callKey);
    yeses.push({ callKey: open.callKey, digest: open.digest, facts, at: open.createdAt, used: false });
  }
}

/** The facts that the operator saw; by digest alone when the world has moved on since. */
function factsBehind(digest: string, world: World, callKey: string): string {
  const facts = world.facts();
  return approvalDigest(requestOf(facts, callKey)) === digest ? JSON.stringify(facts) : "";
}

/** A host about to execute: derives everything again, redeems, and runs exactly that. */
async function execute(played: Case, callKey: string): Promise<void> {
  const { gate, world, clock, yeses, steps, violations } = played;
  const facts: Facts = world.facts();
  const digest = approvalDigest(requestOf(facts, callKey));
  const covering = yeses.find(
    (yes) => yes.callKey === callKey && yes.digest === digest && !yes.used && clock.now() < yes.at + TTL_MS,
  );
  try {
    const remembered = yeses.findLast((yes) => yes.callKey === callKey)?.digest;
    await gate.redeem({ callKey, digest: played.host === "careless" ? (remembered ?? digest) : digest });
  } catch (error) {
    if (!ApprovalError.is(error) || error.code !== "stale_approval") throw error;
    steps.push(`refused ${callKey}: ${error.details.cause}`);
    played.refused += 1;
    return;
  }
  steps.push(`ran ${callKey}`);
  played.ran += 1;
  if (covering === undefined) {
    violations.push(`${callKey} ran without a live yes to exactly this`);
    return;
  }
  covering.used = true;
  if (covering.facts !== "" && covering.facts !== JSON.stringify(facts)) {
    violations.push(`${callKey} ran as something else than what was seen`);
  }
}
