import type { ToolCall } from "@basis/core";
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
import { instructionFor, responseFormat, terminalTool, words, type TerminalTool } from "./terminal-tool.ts";

type Draft<T> = { -readonly [Name in keyof T]: T[Name] };

/** The pure turn of one run on its way: what it asks for next, and how it ends when the run is aborted. */
export class TurnProgress {
  readonly #options: GateOptions<unknown>;
  readonly #toolName: string;
  #turn: TurnState;
  #textFeedback: string | undefined;
  #terminal: TerminalTool | undefined;
  #asked = false;

  constructor(options: GateOptions<unknown>) {
    const { spec, toolName, rungs, strict, attempts, attemptsUsed: used, closing: policy } = options;
    this.#options = options;
    this.#toolName = toolName;
    this.#turn = startTurn({ working: spec.keepsTools, rungs, strict, policy, attempts, used });
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
    const { skipped, spec, lowering } = this.#options;
    const turn = working ? "working" : "shaping";
    const { ledger } = spec;
    const plan: Draft<OutputPlan> = {
      toolName: this.#toolName,
      turn,
      skipped,
      degradations,
      closing,
      ledger,
    };
    if (this.#asked && rungs[0]) plan.rung = rungs[0];
    if (lowering?.dialect.strict === true) plan.strict = strict;
    return plan;
  }

  /** The next request, with what is to be said before it. `failed` are the calls that were no answer, in order. */
  nextOffer(round: number, failed: readonly string[]): RoundOffer {
    const offer: Draft<RoundOffer> = this.#offerOf(round);
    const message = this.#takeMessage();
    if (message !== undefined) offer.message = message;
    if (this.#options.forgets && failed.length > 1) offer.forget = failed.slice(0, -1);
    return offer;
  }

  #offerOf(round: number): RoundOffer {
    const { phase, working, rungs } = this.#turn;
    const terminal = this.#terminalTool();
    if (phase === "work") return workOffer(terminal, round);
    this.#asked = true;
    const rung = rungs[0]!;
    const beside = rung === "tool" || this.#options.capabilities.native === "with_tools";
    const format = rung === "native" ? responseFormat(terminal) : undefined;
    return askOffer(terminal, { round, rung, keepTools: working && beside, format });
  }

  /** Made once, and once more when the strict mode is given up. */
  #terminalTool(): TerminalTool {
    const { strict } = this.#turn;
    if (this.#terminal && (this.#terminal.strict === true) === strict) return this.#terminal;
    this.#terminal = terminalTool(this.#options.spec, this.#toolName, strict);
    return this.#terminal;
  }

  #takeMessage(): string | undefined {
    const { message, rungs, working } = this.#turn;
    const said = this.#textFeedback;
    if (message === undefined && said === undefined) return undefined;
    const asked = message === "reminder" ? words.reminder(this.#toolName) : undefined;
    const told = message === "instruction" && rungs[0] ? this.#instruction(rungs[0], working) : asked;
    this.#turn = messageGiven(this.#turn);
    this.#textFeedback = undefined;
    return said !== undefined && told !== undefined ? `${said}\n\n${told}` : (said ?? told);
  }

  /** The first forced round of a working turn says so in words too. */
  #instruction(rung: Rung, working: boolean): string | undefined {
    const forced = rung === "tool" || rung === "required";
    if (forced) return working ? words.closing(this.#toolName) : undefined;
    return instructionFor(rung, this.#options.spec, this.#toolName);
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
    const { abort } = this.#options;
    if (!abort.aborted) return false;
    this.end(abort.late ? { status: "bounded", by: "deadline" } : { status: "cancelled" });
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
    if (step === undefined || step.reason === "ignored") return;
    if (step.reason === "strict") this.#options.onRefusedStep("strict", "schema");
    else this.#options.onRefusedStep(step.from, step.reason);
  }
}
