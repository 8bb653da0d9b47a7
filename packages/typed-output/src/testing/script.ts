import type { JsonValue, TokenUsage } from "@basis/core";
import type { ProviderRefusal } from "../ladder.ts";
import type { FinishReason, RoundOffer, SettleContext } from "../terminal-gate.ts";
import type { ModelCapabilities } from "../turn-runner.ts";

/** One reply of a scripted model. */
export interface ScriptedRound {
  readonly text?: string;
  /** Tool calls; `$output` stands for the terminal tool's name. An input that is no text is written as JSON. */
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input: JsonValue }[];
  /** The arguments of one call of the terminal tool, as sent. It comes after `calls`. */
  readonly terminal?: string;
  readonly finish?: FinishReason;
  readonly usage?: Partial<TokenUsage>;
  /** The provider fails instead of replying. */
  readonly error?: ProviderRefusal;
  /** Asked when the round begins; a test's way to cancel or to move the clock. */
  readonly before?: (offer: RoundOffer) => void;
}

/** A tool of the scripted host; what it throws becomes an error result. */
export type ScriptedTool = (
  input: JsonValue,
  context: { readonly signal: AbortSignal },
) => JsonValue | Promise<JsonValue>;

/** How a scripted host behaves beside its model. */
export interface ScriptedOptions {
  readonly capabilities?: Partial<ModelCapabilities>;
  readonly tools?: Readonly<Record<string, ScriptedTool>>;
  /** Tools whose calls wait for the approval of that id. */
  readonly parks?: Readonly<Record<string, string>>;
  /** The pre hook of terminal calls. */
  readonly hook?: (input: string) => SettleContext | undefined;
  /** The agent that the host says makes the calls. */
  readonly agentId?: string;
  /** Stops the run by itself before that round (1 is the first). */
  readonly stopBefore?: number;
  /** Ends the run with that failure after its last result, as a sink does that fails late. */
  readonly failAfter?: unknown;
  /** Streams texts and terminal calls to the gate in pieces of that many characters. */
  readonly pieces?: number;
  /** Never returns, once the turn has ended. */
  readonly hangs?: boolean;
}

/** One row of the transcript. */
export type TranscriptRow =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly callIds: readonly string[] }
  | { readonly role: "tool"; readonly callId: string; readonly output: JsonValue; readonly isError: boolean };

/** A request as the scripted model saw it. */
export interface ScriptedRequest {
  readonly offer: RoundOffer;
  /** The names of the tools in their order, the terminal one last. */
  readonly tools: readonly string[];
}
