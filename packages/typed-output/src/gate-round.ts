import type { ToolCall, ToolResult } from "@basis/core";
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
  /** Takes a number of ordinary calls from the budget and answers how many may run. */
  readonly takeBudget: (wanted: number) => number;
}

interface TerminalCall {
  readonly call: ToolCall;
  readonly position: number;
  /** True when the model wrote the tool's name in another letter case. */
  readonly repaired: boolean;
  settled: boolean;
}

/** One round's calls: which are the answer, which run, which never do. */
export class GateRound {
  readonly finish: FinishReason | undefined;
  readonly text: string;
  readonly #rules: RoundRules;
  readonly #terminal = new Map<string, TerminalCall>();
  readonly #ordinary: { readonly call: ToolCall; readonly position: number }[] = [];
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
    calls.forEach(assertCall);
    const seen = new Set<string>();
    for (const [position, call] of calls.entries()) {
      const refusal = this.#refusalOf(call, seen.has(call.toolCallId));
      seen.add(call.toolCallId);
      if (refusal !== undefined) this.#refuse(call, refusal);
      else if (this.#isTerminal(call)) this.#admitTerminal(call, position);
      else this.#ordinary.push({ call, position });
    }
  }

  get admission(): Admission {
    return {
      terminal: [...this.#terminal.values()].map(({ call }) => call),
      refused: this.#refused,
      siblings: () => this.#siblings(),
    };
  }

  /** True when no call of the round could have been the answer and none could run. */
  get offCourse(): boolean {
    return this.#terminal.size === 0 && this.#ordinary.length === 0;
  }

  get decided(): boolean {
    return this.#decidedAt !== undefined;
  }

  /** The terminal call of that id, once; undefined for any other. */
  take(
    call: ToolCall,
  ): { readonly repaired: boolean; readonly last: boolean; readonly position: number } | undefined {
    const found = this.#terminal.get(call.toolCallId);
    if (!found || found.settled) return undefined;
    found.settled = true;
    return { repaired: found.repaired, last: found.position === this.#size - 1, position: found.position };
  }

  /** The round is decided by the call at that position. */
  decide(position: number, accepted: boolean): void {
    this.#decidedAt = position;
    this.#ranAll = accepted && this.#rules.siblings !== "skip";
  }

  #isTerminal(call: ToolCall): boolean {
    return call.toolName.toLowerCase() === this.#rules.toolName.toLowerCase();
  }

  #admitTerminal(call: ToolCall, position: number): void {
    const { toolName } = this.#rules;
    const repaired = call.toolName !== toolName;
    const named = repaired ? { ...call, toolName } : call;
    this.#terminal.set(call.toolCallId, { call: named, position, repaired, settled: false });
  }

  #refusalOf(call: ToolCall, duplicate: boolean): string | undefined {
    const { refuseAll, refuseTerminal, refusal } = this.#rules;
    if (refuseAll !== undefined) return refuseAll;
    if (duplicate) return words.duplicate;
    return this.#isTerminal(call) ? refuseTerminal : refusal?.(call);
  }

  #refuse(call: ToolCall, text: string): void {
    const result: ToolResult = errorResult(text);
    this.#refused.push({ call, result });
  }

  #siblings(): { readonly run: readonly ToolCall[]; readonly refused: readonly RefusedCall[] } {
    const decidedAt = this.#decidedAt;
    const runs = (position: number): boolean =>
      decidedAt === undefined || this.#ranAll || position < decidedAt;
    const wanted = this.#ordinary.filter(({ position }) => runs(position)).map(({ call }) => call);
    const late = this.#ordinary.filter(({ position }) => !runs(position)).map(({ call }) => call);
    const run = wanted.slice(0, this.#rules.takeBudget(wanted.length));
    this.#ordinary.length = 0;
    const terminated = words.notExecuted(this.#rules.toolName);
    return {
      run,
      refused: [
        ...wanted.slice(run.length).map((call) => ({ call, result: errorResult(words.overBudget) })),
        ...late.map((call) => ({ call, result: errorResult(terminated) })),
      ],
    };
  }
}

/** A host that hands over parsed arguments would have them judged as they were never written. */
function assertCall({ toolCallId, toolName, input }: ToolCall): void {
  const texts: readonly unknown[] = [toolCallId, toolName, input];
  if (texts.every((text) => typeof text === "string")) return;
  throw new TypeError(
    "a call has toolCallId, toolName and input, which is the text of the arguments as the model wrote it",
  );
}
