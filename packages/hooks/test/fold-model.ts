import type { CallEffect, HookEvent, ParticipantRank } from "../src/index.ts";

/** What a participant of the model answers where it sees a number. */
export type Move = "allow" | "deny" | "deny why" | "throw" | "nonsense" | "wrong event" | 0 | 1 | 2;

/** A participant of the model: its answers depend on the number that it sees, the input's before the call, the output's after. */
export interface Player {
  readonly name: string;
  readonly kind: "interceptor" | "hook";
  readonly rank: ParticipantRank;
  readonly events: readonly HookEvent[];
  readonly tools: readonly string[] | undefined;
  readonly effect: readonly CallEffect[] | undefined;
  /** The one number that its input filter lets through. */
  readonly only: number | undefined;
  readonly onFailure: "deny" | "allow";
  readonly shadow: boolean;
  readonly timing: "at once" | "soon" | "later";
  readonly moves: readonly [Move, Move, Move];
}

/** What a chain of players should do about one call. */
export interface Expected {
  readonly outcome: object;
  readonly asked: readonly { readonly who: string; readonly mode: string; readonly decision: string }[];
  readonly notAsked: readonly { readonly who: string; readonly why: "filtered" | "ended" }[];
}

const RANKS = ["interceptor", "global", "workspace"];

/** Nobody knows what 0 does. */
export const effectOfNumber = (value: number): CallEffect | undefined =>
  ([undefined, "read", "write"] as const)[value];

const whoOf = ({ kind, name }: Player): string => `${kind} '${name}'`;

/** The folding rules told a second time, as plainly as can be: a pass in order, then a pass of those who judge again. */
export function expectedOf(
  players: readonly Player[],
  event: HookEvent,
  start: { readonly input: number; readonly output: number },
): Expected {
  const isPre = event === "pre_tool_use";
  const ordered = RANKS.flatMap((rank) => players.filter((player) => player.rank === rank));
  const plan = ordered.filter(({ events, tools }) => events.includes(event) && isForRun(tools));
  const asked: { who: string; mode: string; decision: string }[] = [];
  const hands: string[] = [];
  const skippedAfter = new Map<Player, number>();
  let value = isPre ? start.input : start.output;
  let lowest = -1;
  let denied: string | undefined;
  const inputNow = (): number => (isPre ? value : start.input);

  const ask = (player: Player, mode: "decide" | "recheck"): void => {
    const move = player.moves[value]!;
    asked.push({ who: whoOf(player), mode, decision: decisionOf(move, isPre) });
    if (player.shadow) return;
    const problem = denialOf(player, move, { mode, isPre });
    if (problem !== undefined) denied = problem;
    else if (typeof move === "number") {
      value = move;
      hands.push(whoOf(player));
      lowest = Math.max(lowest, RANKS.indexOf(player.rank));
    }
  };

  const unreached: Player[] = [];
  for (const player of plan) {
    if (denied !== undefined) unreached.push(player);
    else if (letsThrough(player, inputNow())) ask(player, "decide");
    else skippedAfter.set(player, hands.length);
  }
  if (isPre && denied === undefined && hands.length > 0) {
    const changes = hands.length;
    const judges = plan.filter(
      (player) =>
        !player.shadow &&
        (RANKS.indexOf(player.rank) < lowest || (skippedAfter.get(player) ?? changes) < changes),
    );
    for (const judge of judges) {
      if (denied === undefined && letsThrough(judge, value)) ask(judge, "recheck");
    }
  }
  const notAsked = ordered
    .filter((player) => !asked.some(({ who }) => who === whoOf(player)))
    .map((player) => ({
      who: whoOf(player),
      why: unreached.includes(player) ? ("ended" as const) : ("filtered" as const),
    }));
  return { outcome: outcomeOf({ denied, hands, value, isPre }), asked, notAsked };
}

function outcomeOf(end: {
  denied: string | undefined;
  hands: string[];
  value: number;
  isPre: boolean;
}): object {
  const { denied, hands, value, isPre } = end;
  if (denied !== undefined) return { decision: "deny", reason: denied };
  if (hands.length === 0) return { decision: "allow" };
  const reason = hands.join("; ");
  return isPre
    ? { decision: "modify", input: { n: value }, reason }
    : { decision: "replace", output: { n: value }, isError: true, reason };
}

function isForRun(tools: readonly string[] | undefined): boolean {
  return tools === undefined || tools.some((entry) => ["run", "r*", "?un"].includes(entry));
}

function letsThrough({ effect, only }: Player, input: number): boolean {
  const known = effectOfNumber(input);
  const isForEffect = effect === undefined || known === undefined || effect.includes(known);
  return isForEffect && (only === undefined || only === input);
}

function decisionOf(move: Move, isPre: boolean): string {
  if (move === "throw" || move === "nonsense" || move === "wrong event") return "broken";
  if (move === "allow") return "allow";
  if (typeof move === "string") return "deny";
  return isPre ? "modify" : "replace";
}

function denialOf(
  player: Player,
  move: Move,
  { mode, isPre }: { readonly mode: "decide" | "recheck"; readonly isPre: boolean },
): string | undefined {
  const who = whoOf(player);
  if (move === "allow") return undefined;
  if (move === "deny") return `denied by ${who}`;
  if (move === "deny why") return `denied by ${who}: why`;
  if (typeof move === "number") {
    return mode === "decide" ? undefined : `denied by ${who}: it does not allow the rewritten input as it is`;
  }
  if (mode === "decide" && player.onFailure === "allow") return undefined;
  const [wrong, event, right] = isPre
    ? ["replace", "pre_tool_use", "modify"]
    : ["modify", "post_tool_use", "replace"];
  const failure = {
    throw: "threw an error",
    nonsense: "answered something that is not a decision (unknown decision)",
    "wrong event": `answered ${wrong} to ${event}, where only allow, deny and ${right} are answers`,
  }[move];
  return `${who} could not answer and denies on failure: ${failure}`;
}
