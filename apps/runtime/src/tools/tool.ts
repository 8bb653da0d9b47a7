import { isBasisError, type JsonObject, type JsonValue, type SideEffectLevel } from "@basis/core";
import type { Image } from "../images/image.ts";

/** What a tool does, in one word that a hook's filter can name whatever the tool is called. */
export type ToolEffect = "read" | "write" | "command" | "delegate" | "answer";

/** What a tool answered: text or JSON for the model, and whether it is an error. */
export interface ToolOutcome {
  readonly output: JsonValue;
  readonly isError: boolean;
  /** Shown to the model beside the output, unless a guard puts another in its place. */
  readonly images?: readonly Image[] | undefined;
}

/** What a running tool may use. */
export interface ToolContext {
  /** Aborts at the tool's deadline, or when the turn is stopped or has lost its lease. */
  readonly signal: AbortSignal;
  /** Shows what is going on; the model never sees it. */
  progress(text: string): void;
}

/** A delegated agent whose turn waits for an approval, and with it the call that started it. */
export interface WaitingChild {
  readonly sessionId: string;
  readonly agentId: string;
  readonly name: string;
  /** Of the plan that it was started by; absent where only the approved digest of the call is known. */
  readonly planDigest?: string | undefined;
  readonly approvedDigest?: string | undefined;
  /** The approval that it waited for when its turn parked. */
  readonly approvalId: string;
}

/** Who calls, and from where; settled before the tool is asked. */
export interface CallFacts {
  readonly callKey: string;
  readonly toolCallId: string;
  readonly agentId: string;
  /** The call goes on where its child waited; absent: it begins. */
  readonly waiting?: WaitingChild | undefined;
  readonly signal: AbortSignal;
}

/** A call made ready: what the approver sees of it, what its approval is bound to, and how it runs. */
export interface PreparedCall {
  readonly preview: JsonValue;
  /** A digest of what was decided for the call beyond its input; part of what is approved. */
  readonly binding?: string;
  readonly level?: SideEffectLevel;
  /** As `Tool.evidence`, for what was prepared. */
  evidence?(): Promise<Readonly<Record<string, string>>>;
  /** Told to stop, it ends in a bounded time by itself and is waited for as long as it takes. */
  readonly endsItself?: boolean;
  /** Runs exactly what was prepared. */
  execute(context: ToolContext): Promise<ToolOutcome>;
}

/** A tool as the dispatcher knows it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Undefined when nobody can tell: then every filter on effects matches. */
  readonly effect: ToolEffect | undefined;
  /** The effect of one call, for a tool whose calls differ; `input` is not checked yet. */
  effectOf?(input: JsonValue): ToolEffect;
  /** The most a call can do to the world; `none` is never asked. */
  readonly level: SideEffectLevel;
  /** `builtin`, `mcp:SERVER` or `declared`. */
  readonly source: string;
  /** What else makes it this tool and no other of that name: a digest. Rules and approvals lapse with it. */
  readonly identity?: string;
  /** True when a call with this input may run beside others. */
  parallelSafe(input: JsonValue): boolean;
  /** Milliseconds a call may take; absent: as long as the turn. */
  readonly timeoutMs?: number;
  /**
   * For a tool that decides more than its input says: called once with the final input, after the hooks and before
   * anybody is asked. Throwing refuses the call with the error's text.
   */
  prepare?(input: JsonValue, facts: CallFacts): Promise<PreparedCall>;
  /** Further facts that the approval is bound to, derived again just before the call runs: digests of files it names. */
  evidence?(input: JsonValue): Promise<Readonly<Record<string, string>>>;
  execute(input: JsonValue, context: ToolContext): Promise<ToolOutcome>;
}

/** A failure whose text the model may read. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

/** A text answer. */
export function textOutcome(output: string, isError = false): ToolOutcome {
  return { output, isError };
}

/** The text of a failure that was written for a model; undefined for any other, whose text may quote paths or output. */
export function modelText(error: unknown): string | undefined {
  if (error instanceof ToolFailure || isBasisError(error, "ChildPolicyError")) return error.message;
  return isBasisError(error, "SpawnInputError") ? error.message : undefined;
}
