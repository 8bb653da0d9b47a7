import { GatedCalls, type AskedCall, type GatingParts } from "../binding/gated-calls.ts";
import { isUnshown } from "../binding/refused-call.ts";
import { answerIn, type AiCallOptions, type AiTool } from "./ai-tool.ts";

/** A tool with the gate before it; its members stand in the place of the tool's own. */
export class GatedTool {
  readonly #tool: AiTool;
  readonly #calls: GatedCalls;

  constructor({ tool, ...parts }: GatingParts & { readonly tool: AiTool }) {
    this.#tool = tool;
    this.#calls = new GatedCalls(parts);
  }

  /** The framework asks the user exactly when the gate has parked the question. Everything else is told by `execute`. */
  readonly needsApproval = async (input: unknown, options: AiCallOptions): Promise<boolean> => {
    const call = askedCall(options);
    // Asked again about a question that the user has answered: `execute` looks at the answer.
    return call.answer !== "unasked" || (await this.#calls.parked(input, call)) !== undefined;
  };

  readonly execute = async (input: unknown, options: AiCallOptions): Promise<unknown> => {
    const allowed = await this.#calls.allowed(input, askedCall(options));
    const output = await this.#tool.execute!(allowed, options);
    if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
    let last: unknown;
    for await (const value of output as AsyncIterable<unknown>) last = value;
    return last;
  };

  /** For a tool that streams. */
  readonly stream = (input: unknown, options: AiCallOptions): AsyncGenerator => this.#stream(input, options);

  async *#stream(input: unknown, options: AiCallOptions): AsyncGenerator {
    const allowed = await this.#calls.allowed(input, askedCall(options));
    yield* this.#tool.execute!(allowed, options) as AsyncIterable<unknown>;
  }
}

function askedCall(options: AiCallOptions): AskedCall {
  const { toolCallId, abortSignal } = options;
  return { toolCallId, abortSignal, answer: answerIn(options), isUnshown: isUnshown(options) };
}
