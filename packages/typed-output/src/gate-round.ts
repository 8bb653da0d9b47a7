import type { ToolCall } from "@basis/core";
import type { Admission, FinishReason, RefusedCall, ReplyFacts } from "./terminal-gate.ts";
import { errorResult, words } from "./terminal-tool.ts";

/** What becomes of the siblings of an accepted answer. */
export type SiblingPolicy = "skip" | "run" | "veto";

/** How a round sorts its calls. */
export interface RoundRules {
  readonly toolName: string;
  readonly siblings: SiblingPolicy;
  /** The result of an ordinary call while none is offered; undefined when they are. */
  readonly refusal?: ((call: ToolCall) => string) | undefined;
  /** The result of every call; for rounds that do not count at all. */
  readonly refuseAll?: string | undefined;
  /** The result of terminal calls that another agent made. */
  readonly refuseTerminal?: string | undefined;
  /** The result of the calls that would run now; undefined while the run goes on. */
  readonly refuseRest: () => string | undefined;
  /** Takes a number of ordinary calls from the budget and answers how many may run. */
  readonly takeBudget: (wanted: number) => number;
}

interface AdmittedCall {
  readonly call: ToolCall;
  readonly position: number;
}

interface TerminalCall extends AdmittedCall {
  /** True when the model wrote the tool's name in another letter case. */
  readonly repaired: boolean;
  settled: boolean;
}

/** What a host is told of a terminal call that it settles. */
export interface TakenCall {
  readonly repaired: boolean;
  readonly last: boolean;
  readonly position: number;
}

/** One round's calls: which are the answer, which run, which never do. */
export class GateRound {
  readonly finish: FinishReason | undefined;
  readonly text: string;
  /** True when no call of the round could have been the answer and none could run. */
  readonly offCourse: boolean;
  readonly #rules: RoundRules;
  readonly #terminal: TerminalCall[] = [];
  readonly #ordinary: AdmittedCall[] = [];
  readonly #refused: RefusedCall[] = [];
  readonly #size: number;
  /** Where the round was decided: the calls after it do not run. */
  #decidedAt: number | undefined;
  #ranAll = false;

  constructor(calls: readonly ToolCall[], facts: ReplyFacts, rules: RoundRules) {
    this.finish = facts.finish;
    this.text = facts.text ?? "";
    this.#rules = rules;
    this.#size = calls.length;
    for (const call of calls) assertCall(call);
    const seen = calls.length > 1 ? new Set<string>() : undefined;
    let position = 0;
    for (const call of calls) {
      this.#sort(call, position, seen?.has(call.toolCallId) === true);
      seen?.add(call.toolCallId);
      position += 1;
    }
    this.offCourse = this.#terminal.length === 0 && this.#ordinary.length === 0;
  }

  get admission(): Admission {
    return {
      terminal: this.#terminal.map(({ call }) => call),
      refused: this.#refused,
      siblings: () => this.#siblings(),
    };
  }

  get decided(): boolean {
    return this.#decidedAt !== undefined;
  }

  /** The terminal call of that id, once; undefined for any other. */
  take({ toolCallId }: ToolCall): TakenCall | undefined {
    const found = this.#terminal.find((each) => each.call.toolCallId === toolCallId);
    if (!found || found.settled) return undefined;
    found.settled = true;
    const { repaired, position } = found;
    return { repaired, last: position === this.#size - 1, position };
  }

  /** The round is decided by the call at that position. */
  decide(position: number, accepted: boolean): void {
    this.#decidedAt = position;
    this.#ranAll = accepted && this.#rules.siblings !== "skip";
  }

  #sort(call: ToolCall, position: number, duplicate: boolean): void {
    const { refuseAll, refuseTerminal, refusal, toolName } = this.#rules;
    const terminal = isNamed(call, toolName);
    const told = refuseAll ?? (duplicate ? words.duplicate : terminal ? refuseTerminal : refusal?.(call));
    if (told !== undefined) this.#refused.push({ call, result: errorResult(told) });
    else if (!terminal) this.#ordinary.push({ call, position });
    else {
      const repaired = call.toolName !== toolName;
      const named = repaired ? { ...call, toolName } : call;
      this.#terminal.push({ call: named, position, repaired, settled: false });
    }
  }

  /** True when the reply ended at its limit before anything of an ordinary call's input: providers make `{}` of that. */
  get #mayBeCut(): boolean {
    const last = this.#ordinary.at(-1);
    const runs = this.#decidedAt === undefined || this.#ranAll;
    if (this.finish !== "length" || !runs || last?.position !== this.#size - 1) return false;
    return /^\s*(?:\{\s*\})?\s*$/.test(last.call.input);
  }

  #siblings(): { readonly run: readonly ToolCall[]; readonly refused: readonly RefusedCall[] } {
    const decidedAt = this.#decidedAt;
    const runs = (position: number): boolean =>
      decidedAt === undefined || this.#ranAll || position < decidedAt;
    const wanted = this.#ordinary.filter(({ position }) => runs(position)).map(({ call }) => call);
    const late = this.#ordinary.filter(({ position }) => !runs(position)).map(({ call }) => call);
    const cut = this.#mayBeCut ? wanted.splice(-1) : [];
    const over = this.#rules.refuseRest();
    const run = over === undefined ? wanted.slice(0, this.#rules.takeBudget(wanted.length)) : [];
    this.#ordinary.length = 0;
    const terminated = words.notExecuted(this.#rules.toolName);
    const refuse = (calls: readonly ToolCall[], told: string): readonly RefusedCall[] =>
      calls.map((call) => ({ call, result: errorResult(told) }));
    return {
      run,
      refused: [
        ...refuse(wanted.slice(run.length), over ?? words.overBudget),
        ...refuse(cut, over ?? words.cutCall),
        ...refuse(late, terminated),
      ],
    };
  }
}

/** The terminal tool's name in whatever letter case; every other name is another tool's. */
function isNamed(call: ToolCall, toolName: string): boolean {
  return call.toolName === toolName || call.toolName.toLowerCase() === toolName.toLowerCase();
}

/** A host that hands over parsed arguments would have them judged as they were never written. */
function assertCall({ toolCallId, toolName, input }: ToolCall): void {
  if ([toolCallId, toolName, input].every(isText)) return;
  throw new TypeError(
    "a call has toolCallId, toolName and input, which is the text of the arguments as the model wrote it",
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
