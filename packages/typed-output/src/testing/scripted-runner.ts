import { newId, parseStrict, type JsonValue, type RunReport, type ToolCall } from "@basis/core";
import type { ReplyFacts, RoundOffer, RoundVerdict, SiblingOutcome, TerminalGate } from "../terminal-gate.ts";
import { errorResult, words } from "../terminal-tool.ts";
import type { ModelCapabilities, TurnRequest, TurnRunner } from "../turn-runner.ts";
import type { ScriptedOptions, ScriptedRequest, ScriptedRound, TranscriptRow } from "./script.ts";
import { ScriptedAccount } from "./scripted-account.ts";

/** A `TurnRunner` whose model is a list of replies; it shows what it was asked and what it committed. */
export interface ScriptedRunner extends TurnRunner {
  readonly requests: readonly ScriptedRequest[];
  readonly transcript: readonly TranscriptRow[];
  /** Calls of ordinary tools that ran, by name, in order. */
  readonly executed: readonly string[];
  /** Rounds of the script that are left. */
  readonly left: number;
}

/** Everything a model may be able to do. */
const ABLE: ModelCapabilities = {
  model: { provider: "scripted", id: "model" },
  tools: true,
  forced: "named",
  native: "with_tools",
};

/**
 * A host with a scripted model: the loop is complete (offers, admissions, settlements, sibling tools, one
 * result a call, cancel, parking), only the model's words come from `rounds`. Several runs take their
 * rounds one after the other; a run that finds none left ends as `failed`, with its report.
 */
export function scriptedRunner(
  rounds: readonly ScriptedRound[],
  options: ScriptedOptions = {},
): ScriptedRunner {
  const script = [...rounds];
  const account = new ScriptedAccount();
  return {
    capabilities: { ...ABLE, ...options.capabilities },
    requests: account.requests,
    transcript: account.transcript,
    executed: account.executed,
    get left() {
      return script.length;
    },
    run: (request) => new ScriptedTurn({ script, options, account, request }).run(),
  };
}

interface TurnParts {
  readonly script: ScriptedRound[];
  readonly options: ScriptedOptions;
  readonly account: ScriptedAccount;
  readonly request: TurnRequest;
}

type Stopped = Pick<RunReport, "outcome"> & Partial<RunReport>;

class ScriptedTurn {
  readonly #script: ScriptedRound[];
  readonly #options: ScriptedOptions;
  readonly #account: ScriptedAccount;
  readonly #gate: TerminalGate;
  readonly #signal: AbortSignal;
  readonly #from: number;
  #round = 0;

  constructor({ script, options, account, request }: TurnParts) {
    this.#script = script;
    this.#options = options;
    this.#account = account;
    this.#gate = request.gate;
    this.#signal = request.signal;
    this.#from = account.begin(request.prompt);
  }

  async run(): Promise<RunReport> {
    const stopped = await this.#loop();
    if (this.#options.hangs === true) await new Promise<never>(() => undefined);
    const failure = this.#options.failAfter;
    const end: Stopped = failure === undefined ? stopped : { outcome: "failed", failure };
    if (end.outcome === "cancelled") this.#account.rollBack(this.#from);
    const { usage, text } = this.#account;
    const transcript = { sessionId: "scripted", from: this.#from, to: this.#account.transcript.length };
    return { runId: newId(), usage, text, transcript, ...end };
  }

  async #loop(): Promise<Stopped> {
    for (;;) {
      if (this.#signal.aborted) return { outcome: "cancelled" };
      this.#round += 1;
      if (this.#options.stopBefore === this.#round) return { outcome: "stopped", stoppedBy: "stop" };
      const offer = this.#gate.offer();
      if (offer.kind === "end") return ended;
      this.#account.ask(offer, Object.keys(this.#options.tools ?? {}));
      const round = this.#script.shift();
      if (!round) return { outcome: "failed", failure: new Error("the script has no further round") };
      const stopped = await this.#play(round, offer);
      if (stopped) return stopped;
    }
  }

  async #play(round: ScriptedRound, offer: RoundOffer): Promise<Stopped | undefined> {
    round.before?.(offer);
    if (this.#signal.aborted) return { outcome: "cancelled" };
    if (round.error) {
      const verdict = this.#gate.refused(round.error);
      if (verdict.kind === "retry") return undefined;
      const { message, status } = round.error;
      if (verdict.kind === "end") return ended;
      return {
        outcome: "failed",
        failure: Object.assign(new Error(message), { code: "provider_error", status }),
      };
    }
    const calls = await this.#stream(round, this.#callsOf(round));
    const { finish, usage, text } = round;
    const { agentId } = this.#options;
    const facts: ReplyFacts = { finish, usage, text, agentId };
    this.#account.reply(round, calls);
    if (calls.length > 0) return this.#runCalls(calls, facts);
    return finishOn(await this.#gate.ended(facts));
  }

  /** Hands the reply to the gate piece by piece; a reply that it stops ends there. */
  async #stream({ text = "" }: ScriptedRound, calls: readonly ToolCall[]): Promise<readonly ToolCall[]> {
    const { pieces } = this.#options;
    if (pieces === undefined) return calls;
    for (const piece of cutInto(text, pieces)) {
      this.#gate.delta({ text: piece });
      await Promise.resolve();
    }
    for (const [index, call] of calls.entries()) {
      let sent = "";
      for (const input of cutInto(call.input, pieces)) {
        sent += input;
        const verdict = this.#gate.delta({ toolCallId: call.toolCallId, toolName: call.toolName, input });
        await Promise.resolve();
        if (this.#signal.aborted || verdict === "stop")
          return [...calls.slice(0, index), { ...call, input: sent }];
      }
    }
    return calls;
  }

  #callsOf({ calls = [], terminal }: ScriptedRound): readonly ToolCall[] {
    const { toolName } = this.#gate;
    const made = calls.map(({ id, name, input }) => ({
      toolCallId: id ?? newId(),
      toolName: name === "$output" ? toolName : name,
      input: typeof input === "string" ? input : JSON.stringify(input),
    }));
    return terminal === undefined ? made : [...made, { toolCallId: newId(), toolName, input: terminal }];
  }

  async #runCalls(calls: readonly ToolCall[], facts: ReplyFacts): Promise<Stopped | undefined> {
    const admission = this.#gate.admit(calls, facts);
    this.#account.settle(admission.refused);
    for (const call of admission.terminal) {
      const settlement = await this.#gate.settle(call, this.#options.hook?.(call.input));
      if (settlement.kind !== "hold") this.#account.settle([{ call, result: settlement.result }]);
    }
    const { run, refused } = admission.siblings();
    this.#account.settle(refused);
    const outcomes: SiblingOutcome[] = [];
    let approvalId: string | undefined;
    for (const call of run) {
      const parked = this.#options.parks?.[call.toolName];
      if (this.#signal.aborted) outcomes.push({ call, result: errorResult(words.ended) });
      else if (parked !== undefined) approvalId ??= parked;
      else outcomes.push(await this.#runTool(call));
    }
    this.#account.settle(outcomes);
    if (approvalId !== undefined) return { outcome: "parked", approvalId };
    const verdict = this.#gate.close(outcomes);
    this.#account.settle(verdict.results);
    return finishOn(verdict);
  }

  async #runTool(call: ToolCall): Promise<SiblingOutcome> {
    const tools = this.#options.tools ?? {};
    const tool = Object.hasOwn(tools, call.toolName) ? tools[call.toolName] : undefined;
    const parsed = parseStrict(call.input);
    try {
      if (!tool) throw new Error(`no tool is named ${call.toolName}`);
      if (!parsed.ok) throw new Error(parsed.message);
      this.#account.executed.push(call.toolName);
      const output: JsonValue = await tool(parsed.value, { signal: this.#signal });
      return { call, result: { output, isError: false } };
    } catch (error) {
      return {
        call,
        result: { output: error instanceof Error ? error.message : String(error), isError: true },
      };
    }
  }
}

function cutInto(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

const ended: Stopped = { outcome: "completed" };

function finishOn(verdict: RoundVerdict): Stopped | undefined {
  return verdict.kind === "end" ? ended : undefined;
}
