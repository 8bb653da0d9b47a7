import { parseStrict, type JsonValue, type ToolResult } from "@basis/core";
import { deepFreeze, frozenCopy, NotJsonError } from "./frozen-json.ts";

/** When a participant is asked: before a tool runs (the default everywhere), or after it has. */
export type HookEvent = "pre_tool_use" | "post_tool_use";

/** The version of the request's shape, `hook_schema` on the wire. */
export const HOOK_SCHEMA = 1;

/** Most bytes of a request that participants are asked with, unless the host sets another limit: 8 MiB. */
export const MAX_REQUEST_BYTES: number = 8 * 1024 * 1024;

/**
 * What a call does, whichever tool it goes through. A call that may do several of them has the one that reaches
 * furthest: `command` starts a program of the caller's choice, `delegate` another agent, `network` opens a connection,
 * `write` changes what the tool guards, `answer` ends the turn, `read` does none of it.
 */
export type CallEffect = "read" | "write" | "network" | "command" | "delegate" | "answer";

export const CALL_EFFECTS: readonly CallEffect[] = [
  "read",
  "write",
  "network",
  "command",
  "delegate",
  "answer",
];

/** Facts that a host may add to a request. */
export interface HookContext {
  /** The agent that delegated to this one. */
  readonly parentAgentId?: string | undefined;
  /** Delegations above this agent; 0 for the one the user talks to. */
  readonly depth?: number | undefined;
  /** Where the tool comes from: `builtin`, `mcp:<server>`, `declared` … */
  readonly toolSource?: string | undefined;
  /** Absent when nobody knows; a filter on effects then lets the call through to its guard. */
  readonly effect?: CallEffect | undefined;
}

/** A tool call as its host hands it to the chain. `inputJson` is the text of the arguments, not yet trusted. */
export interface HookCall extends HookContext {
  readonly agentId: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly inputJson: string;
  /**
   * For a tool whose calls differ, in place of `effect`: the effect of an input, which is not checked yet (a text when it
   * is not JSON). Asked again for every rewrite; throwing means that nobody knows.
   */
  readonly effectOf?: EffectOf | undefined;
}

/** The effect of a call with this input. */
export type EffectOf = (input: JsonValue) => CallEffect | undefined;

/** What the requests of every event share. */
export interface RequestFacts extends HookContext {
  readonly hookSchema: 1;
  /** The root whose chain was chosen, and the call's working directory. */
  readonly workspace: string;
  readonly agentId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** The parsed input, or the text itself when it is not one strict JSON document. After the call: what the tool ran with. */
  readonly input: JsonValue;
}

/** What a participant sees before the call. */
export interface PreToolRequest extends RequestFacts {
  readonly event: "pre_tool_use";
}

/** What a participant sees after the call. A text result is a string even if it looks like JSON. */
export interface PostToolRequest extends RequestFacts {
  readonly event: "post_tool_use";
  readonly output: JsonValue;
  readonly isError: boolean;
}

/** What every participant sees; frozen all the way down. The same facts stand on the wire in snake_case. */
export type HookRequest = PreToolRequest | PostToolRequest;

/** Events whose request holds no result. */
export type CallEvent = Exclude<HookEvent, "post_tool_use">;

/** What a request needs beside the call. */
export interface RequestOptions {
  readonly workspace: string;
  /** Most bytes of the input's text, and roughly of a result. Default 8 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * The request for an event that comes before there is a result.
 *
 * @throws TypeError when the input is larger than `maxBytes`.
 */
export function fromCall(event: CallEvent, call: HookCall, options: RequestOptions): PreToolRequest {
  return finish(begin(event, call, options), call);
}

/**
 * The request for a call that has run. `result.output` is copied, so that the host's own value is not frozen.
 *
 * @throws TypeError when the output is not JSON, or when it or the input is larger than `maxBytes`.
 */
export function fromResult(call: HookCall, result: ToolResult, options: RequestOptions): PostToolRequest {
  const request = begin("post_tool_use", call, options) as Draft<PostToolRequest>;
  request.output = frozenCopy(result.output, options.maxBytes ?? MAX_REQUEST_BYTES);
  request.isError = result.isError;
  return finish(request, call);
}

/** A copy of the request with another input, which is copied. @throws TypeError when the input is not JSON. */
export function withInput<Request extends HookRequest>(request: Request, input: JsonValue): Request {
  return holdInput(request, frozenCopy(input));
}

/** A copy of the request with another result, which is copied. @throws TypeError when the output is not JSON. */
export function withOutput(request: PostToolRequest, output: JsonValue, isError: boolean): PostToolRequest {
  return holdOutput(request, frozenCopy(output), isError);
}

/** `withInput` for an input that is frozen all the way down and needs no copy; `effectOf` says what it now does. */
export function holdInput<Request extends HookRequest>(
  request: Request,
  input: JsonValue,
  effectOf?: EffectOf,
): Request {
  const effect = readEffect({ effect: request.effect, effectOf }, input);
  return Object.freeze<Request>({ ...request, input, effect });
}

/** `withOutput` for an output that is frozen all the way down and needs no copy; without a flag the last one stays. */
export function holdOutput(
  request: PostToolRequest,
  output: JsonValue,
  isError: boolean = request.isError,
): PostToolRequest {
  return Object.freeze({ ...request, output, isError });
}

/** A request on its way, written member by member: a spread would cost more than all the rest of it. */
type Draft<Request extends HookRequest> = { -readonly [Key in keyof Request]: Request[Key] };

function begin<Event extends HookEvent>(event: Event, call: HookCall, options: RequestOptions) {
  return {
    hookSchema: HOOK_SCHEMA,
    event,
    workspace: options.workspace,
    agentId: call.agentId,
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    input: readInput(call.inputJson, options),
  } as const;
}

/** Adds what the host knows, in the order of the wire. */
function finish<Request extends HookRequest>(request: Draft<Request>, call: HookCall): Request {
  const { parentAgentId, depth, toolSource } = call;
  if (parentAgentId !== undefined) request.parentAgentId = parentAgentId;
  if (depth !== undefined) request.depth = depth;
  if (toolSource !== undefined) request.toolSource = toolSource;
  const effect = readEffect(call, request.input);
  if (effect !== undefined) request.effect = effect;
  return Object.freeze(request) as Request;
}

/** A host without types may say anything; a word that no filter can name says nothing. */
function readEffect(
  { effect, effectOf }: Pick<HookCall, "effect" | "effectOf">,
  input: JsonValue,
): CallEffect | undefined {
  try {
    const said = effectOf ? effectOf(input) : effect;
    return said && CALL_EFFECTS.find((word) => word === said);
  } catch {
    return undefined;
  }
}

function readInput(inputJson: string, { maxBytes = MAX_REQUEST_BYTES }: RequestOptions): JsonValue {
  const parsed = parseStrict(inputJson, { maxBytes });
  if (!parsed.ok) {
    if (parsed.problem === "too_large") throw new NotJsonError(`the input is larger than ${maxBytes} bytes`);
    return inputJson;
  }
  deepFreeze(parsed.value);
  return parsed.value;
}
