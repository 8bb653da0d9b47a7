import type { Deed, Schedule, Script } from "./chain-script.ts";

/** What a call comes to by the rules of the contract, written down without the product's code. */
export interface ReferenceOutcome {
  readonly decision: "allow" | "deny" | "modify" | "replace";
  readonly reason: string | undefined;
  readonly number: number;
  readonly isError: boolean;
  /** `who mode decision` of each question, in order. */
  readonly asked: readonly string[];
  /** Who could not answer, once a question. */
  readonly broken: readonly string[];
  readonly isAsync: boolean;
}

const RANKS = ["interceptor", "global", "workspace"];

/** Asks everybody in order and folds their deeds. */
export function referenceFold(schedule: Schedule): ReferenceOutcome {
  const fold = new Fold(schedule);
  fold.decide();
  if (fold.denied === undefined && schedule.event === "pre_tool_use") fold.recheck();
  if (fold.isAborted) fold.denied ??= "denied by the hook chain: the turn was aborted";
  const { denied, hands, number, isError, asked, broken, isAsync } = fold;
  const facts = { number, isError, asked, broken, isAsync };
  if (denied !== undefined) return { decision: "deny", reason: denied, ...facts };
  if (hands.length === 0) return { decision: "allow", reason: undefined, ...facts };
  const decision = schedule.event === "pre_tool_use" ? "modify" : "replace";
  return { decision, reason: hands.join("; "), ...facts };
}

class Fold {
  readonly schedule: Schedule;
  readonly seats: readonly Script[];
  readonly hands: string[] = [];
  readonly asked: string[] = [];
  readonly broken: string[] = [];
  number: number;
  isError: boolean;
  denied: string | undefined;
  isAsync = false;
  /** Nobody allows anything any more, whoever ended the turn. */
  isAborted = false;
  /** How often the input was changed, and at which count a filter left somebody out. */
  changes = 0;
  readonly leftOut = new Map<Script, number>();
  lowestRank = -1;

  constructor(schedule: Schedule) {
    const { event, toolName, scripts } = schedule;
    this.schedule = schedule;
    this.number = schedule.number;
    this.isError = schedule.isError;
    this.seats = RANKS.flatMap((rank) => scripts.filter((script) => script.rank === rank)).filter(
      ({ events, tools }) =>
        events.includes(event) && (tools === undefined || tools.some((tool) => matches(tool, toolName))),
    );
  }

  decide(): void {
    for (const script of this.seats) {
      if (this.denied !== undefined) return;
      if (this.#concerns(script)) this.#fold(script, this.#ask(script, "decide"));
      else this.leftOut.set(script, this.changes);
    }
  }

  /** Everybody above the lowest hand, and everybody whom only the old input left out, judges the final one. */
  recheck(): void {
    if (this.changes === 0) return;
    const again = this.seats.filter((script) => {
      const leftOutAt = this.leftOut.get(script);
      const isAbove = RANKS.indexOf(script.rank) < this.lowestRank;
      return !script.shadow && (isAbove || (leftOutAt !== undefined && leftOutAt < this.changes));
    });
    for (const script of again.filter((candidate) => this.#concerns(candidate))) {
      const who = whoIs(script);
      const deed = this.#ask(script, "recheck");
      const failure = this.#failureOf(deed);
      if (failure !== undefined) this.denied = unanswered(who, failure);
      else if (deed.does === "deny") this.denied = `denied by ${signed(who, deed.reason)}`;
      else if (deed.does !== "allow")
        this.denied = `denied by ${who}: it does not allow the rewritten input as it is`;
      if (this.denied !== undefined) return;
    }
  }

  #fold(script: Script, deed: Deed): void {
    if (script.shadow) return;
    const who = whoIs(script);
    const failure = this.#failureOf(deed);
    if (failure !== undefined) {
      if (script.onFailure === "deny" || deed.does === "abort") this.denied = unanswered(who, failure);
    } else if (deed.does === "deny") this.denied = `denied by ${signed(who, deed.reason)}`;
    else if (deed.does === "modify" || deed.does === "replace") {
      this.hands.push(signed(who, deed.reason));
      this.number = deed.number;
      this.changes += 1;
      this.lowestRank = Math.max(this.lowestRank, RANKS.indexOf(script.rank));
      if (deed.does === "replace") this.isError = deed.isError ?? this.isError;
    }
  }

  #ask(script: Script, mode: "decide" | "recheck"): Deed {
    const deed: Deed = this.isAborted ? { does: "abort" } : (script.deeds[this.number] ?? { does: "throw" });
    const failure = this.#failureOf(deed);
    const who = whoIs(script);
    this.asked.push(`${who} ${mode} ${failure === undefined ? deed.does : "broken"}`);
    if (failure !== undefined) this.broken.push(`${who} ${failure}`);
    this.isAsync ||= !this.isAborted && (script.isAsync || deed.does === "late");
    this.isAborted ||= deed.does === "abort";
    return deed;
  }

  /** The words of a deed that is no answer to this event. */
  #failureOf({ does }: Deed): string | undefined {
    const { event } = this.schedule;
    if (does === "throw") return "threw an error";
    if (does === "nonsense") return "answered something that is not a decision (it is not an object)";
    if (does === "late") return "did not answer within 300ms";
    if (does === "abort") return "was cut off because the turn was aborted";
    if (does === "replace" && event === "pre_tool_use")
      return "answered replace to pre_tool_use, where only allow, deny and modify are answers";
    if (does === "modify" && event === "post_tool_use")
      return "answered modify to post_tool_use, where only allow, deny and replace are answers";
    return undefined;
  }

  /** Filters read the input, which only a change before the call can have altered. */
  #concerns({ input }: Script): boolean {
    const { event, number } = this.schedule;
    return input === undefined || matches(input, String(event === "pre_tool_use" ? this.number : number));
  }
}

/** A glob as a regular expression, where the product has a matcher of its own. */
function matches(glob: string, text: string): boolean {
  const pattern = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${pattern}$`, "s").test(text);
}

function whoIs({ kind, name }: Script): string {
  return `${kind} '${name}'`;
}

function signed(who: string, reason: string | undefined): string {
  return reason ? `${who}: ${reason}` : who;
}

function unanswered(who: string, failure: string): string {
  return `${who} could not answer and denies on failure: ${failure}`;
}
