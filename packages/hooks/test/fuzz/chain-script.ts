import type { HookEvent, ParticipantRank } from "../../src/index.ts";
import type { Random } from "./random.ts";

/** What a scripted program does when it is asked. `number` is what it leaves in the input or output. */
export type Deed =
  | { readonly does: "allow" | "deny"; readonly reason: string | undefined }
  | { readonly does: "modify"; readonly number: number; readonly reason: string | undefined }
  | {
      readonly does: "replace";
      readonly number: number;
      readonly isError: boolean | undefined;
      readonly reason: string | undefined;
    }
  /** `late` never answers; `abort` ends the turn and allows. */
  | { readonly does: "throw" | "nonsense" | "late" | "abort" };

/** A participant of a random chain: what it does depends on the number that it finds. */
export interface Script {
  readonly kind: "interceptor" | "hook";
  readonly name: string;
  readonly rank: ParticipantRank;
  readonly events: readonly HookEvent[];
  readonly tools: readonly string[] | undefined;
  /** The glob that the number in the input must match. */
  readonly input: string | undefined;
  readonly onFailure: "deny" | "allow";
  readonly shadow: boolean;
  readonly isAsync: boolean;
  /** By the number that it finds, from 0. */
  readonly deeds: readonly Deed[];
}

/** One call to a random chain. */
export interface Schedule {
  readonly event: HookEvent;
  readonly toolName: string;
  readonly number: number;
  readonly isError: boolean;
  readonly scripts: readonly Script[];
}

/** Inputs and outputs hold a number below this. */
export const NUMBERS = 4;

const RANKS: readonly ParticipantRank[] = ["interceptor", "global", "workspace"];
const EVENTS: readonly HookEvent[] = ["pre_tool_use", "post_tool_use"];

/** A chain of up to six participants, and the call that it is asked about. */
export function randomSchedule(random: Random): Schedule {
  const event = random.pick(EVENTS);
  return {
    event,
    toolName: random.pick(["run", "read"]),
    number: random.below(NUMBERS),
    isError: random.once(2),
    scripts: Array.from({ length: random.below(7) }, () => randomScript(random, event)),
  };
}

function randomScript(random: Random, event: HookEvent): Script {
  const kind = random.pick(["interceptor", "hook", "hook"] as const);
  const isHook = kind === "hook";
  const facts = { event, failsOnceIn: random.pick([3, 10, 30]) };
  return {
    kind,
    name: random.pick(["a", "b", "c", "d"]),
    rank: isHook ? random.pick(RANKS) : "interceptor",
    events: random.once(3) ? [random.pick(EVENTS)] : EVENTS,
    tools: random.once(4) ? [random.pick(["run", "r*", "write", "?ead"])] : undefined,
    input: isHook && random.once(3) ? random.pick(["0", "1", "[0-9]", "*", "?", "3"]) : undefined,
    onFailure: isHook && random.once(2) ? "allow" : "deny",
    shadow: random.once(6),
    isAsync: random.once(2),
    deeds: Array.from({ length: NUMBERS }, () => randomDeed(random, facts)),
  };
}

function randomDeed(
  random: Random,
  facts: { readonly event: HookEvent; readonly failsOnceIn: number },
): Deed {
  const reason = random.once(2) ? random.pick(["", "why", "because: x; y"]) : undefined;
  if (random.once(facts.failsOnceIn)) {
    return { does: random.pick(["throw", "nonsense", "late", "abort"]) };
  }
  if (random.once(10)) return { does: "deny", reason };
  if (random.once(2)) return { does: "allow", reason };
  const number = random.below(NUMBERS);
  const isBefore = (facts.event === "pre_tool_use") !== random.once(15);
  if (isBefore) return { does: "modify", number, reason };
  return { does: "replace", number, isError: random.pick([true, false, undefined]), reason };
}
