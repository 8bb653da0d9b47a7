import { DeadlineError, type ToolCall } from "@basis/core";
import type { GateOptions } from "./gate-options.ts";
import type { Rung } from "./ladder.ts";
import type { OutputPlan } from "./output-result.ts";
import {
  advanceTurn,
  messageGiven,
  startTurn,
  type TurnEnding,
  type TurnEvent,
  type TurnState,
} from "./output-turn.ts";
import { askOffer, workOffer } from "./round-offer.ts";
import type { RoundOffer } from "./terminal-gate.ts";
import { instructionFor, words } from "./terminal-tool.ts";

/** The pure turn of one run on its way: what it asks for next, and how it ends when the run is aborted. */
export class TurnProgress {
  readonly #options: GateOptions<unknown>;
  readonly #toolName: string;
  #turn: TurnState;
  #textFeedback: string | undefined;
  #asked = false;

  constructor(options: GateOptions<unknown>) {
    const { reservation, rungs, strict, attempts, attemptsUsed: used, closing: policy } = options;
    this.#options = options;
    this.#toolName = reservation.toolName;
    this.#turn = startTurn({ working: reservation.spec.keepsTools, rungs, strict, policy, attempts, used });
  }

  get phase(): TurnState["phase"] {
    return this.#turn.phase;
  }

  get ending(): TurnEnding | undefined {
    return this.#turn.ending;
  }

  /** Says something to the model before its next round. */
  addText(text: string): void {
    this.#textFeedback = text;
  }

  get plan(): OutputPlan {
    const { working, rungs, degradations, closing, strict } = this.#turn;
    const { skipped, reservation, lowering } = this.#options;
    const turn = working ? "working" : "shaping";
    const rung = this.#asked ? rungs[0] : undefined;
    const { ledger } = reservation.spec;
    const toolName = this.#toolName;
    const mode = lowering?.dialect.strict === true && { strict };
    return { toolName, turn, ...(rung && { rung }), ...mode, skipped, degradations, closing, ledger };
  }

  /** The next request, with what is to be said before it. `failed` are the calls that were no answer, in order. */
  nextOffer(round: number, failed: readonly string[]): RoundOffer {
    const message = this.#takeMessage();
    const forget = this.#options.forgets ? failed.slice(0, -1) : [];
    const more = { ...(message !== undefined && { message }), ...(forget.length > 0 && { forget }) };
    return { ...this.#offerOf(round), ...more };
  }

  #offerOf(round: number): RoundOffer {
    const { spec } = this.#options.reservation;
    const { phase, working, rungs, strict } = this.#turn;
    const shared = { toolName: this.#toolName, round, strict };
    if (phase === "work") return workOffer(spec, shared);
    this.#asked = true;
    const rung = rungs[0]!;
    const beside = rung === "tool" || this.#options.capabilities.native === "with_tools";
    return askOffer(spec, { ...shared, rung, keepTools: working && beside });
  }

  #takeMessage(): string | undefined {
    const { message, rungs } = this.#turn;
    const { spec } = this.#options.reservation;
    const parts = [this.#textFeedback];
    if (message === "reminder") parts.push(words.reminder(this.#toolName));
    if (message === "instruction" && rungs[0]) parts.push(this.#instruction(rungs[0], spec.keepsTools));
    this.#turn = messageGiven(this.#turn);
    this.#textFeedback = undefined;
    const given = parts.filter((part) => part !== undefined);
    return given.length === 0 ? undefined : given.join("\n\n");
  }

  /** The first forced round of a working turn says so in words too. */
  #instruction(rung: Rung, working: boolean): string | undefined {
    const forced = rung === "tool" || rung === "required";
    if (forced) return working ? words.closing(this.#toolName) : undefined;
    return instructionFor(rung, this.#options.reservation.spec, this.#toolName);
  }

  /** How an ordinary call is refused now; undefined while such calls run. */
  refusalOfOrdinary(): ((call: ToolCall) => string) | undefined {
    if (this.#turn.phase === "work") return undefined;
    const byText = this.asksForText;
    return ({ toolName }) =>
      byText ? words.notOfferedText(toolName) : words.notOffered(toolName, this.#toolName);
  }

  /** True while the answer is asked for as text. */
  get asksForText(): boolean {
    const { phase, rungs } = this.#turn;
    return phase === "ask" && (rungs[0] === "native" || rungs[0] === "prompted");
  }

  /** Text is a candidate only where text was asked for; what is plainly prose means that a format was ignored. */
  isAnswerText(text: string): boolean {
    const { phase, rungs } = this.#turn;
    if (phase !== "ask" || text.trim() === "") return false;
    if (rungs[0] === "native") return /^\s*(?:```|[[{"\-\d]|true\b|false\b|null\b)/.test(text);
    return rungs[0] === "prompted";
  }

  /** Ends the turn when the run's signal has aborted: at its deadline, or cancelled. */
  watchAbort(): boolean {
    const { signal } = this.#options;
    if (!signal.aborted) return false;
    const late = signal.reason instanceof DeadlineError;
    this.end(late ? { status: "bounded", by: "deadline" } : { status: "cancelled" });
    return true;
  }

  /** Ends the turn; the first ending stands. */
  end(ending: TurnEnding): void {
    this.advance({ type: "end", ending });
  }

  /** Lets the turn go on from an event. */
  advance(event: TurnEvent): void {
    const before = this.#turn.degradations.length;
    const open = this.#turn.phase !== "done";
    this.#turn = advanceTurn(this.#turn, event);
    if (open && this.#turn.phase === "done") this.#options.onEnd();
    const step = this.#turn.degradations[before];
    if (step && step.reason !== "ignored")
      this.#options.onRefusedStep(step.reason === "strict" ? "strict" : step.from);
  }
}
