import { emptyUsage, parseStrict, type ModelInfo, type TokenUsage } from "@basis/core";
import { plainOutput } from "./plain-output.ts";
import { ModelError } from "./model-error.ts";
import type {
  AssistantMessage,
  Model,
  ModelCapabilities,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  RequestedCall,
  RoundOptions,
} from "./model.ts";
import type { Script, ScriptedRound } from "./scripted-file.ts";
import { summaryFacts } from "./summary-message.ts";

const TERMINAL_TOOL = "$output";
const TERMINAL_PREFIX = "basis_output_";

/** Under what name a script is played, and what it is to obey. */
export interface ScriptedModelOptions {
  /** Default `scripted/` and the file's path. */
  readonly ref?: ModelInfo;
  /** Default: a named tool can be forced, a schema does not bind. */
  readonly capabilities?: ModelCapabilities;
}

/**
 * A model whose replies are a script; the next one is chosen from the transcript alone. It asks nobody: what the
 * script doesn't hold is `scripted_miss`, never a live call. A scripted error is not retried.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): Model {
  const ref = options.ref ?? { provider: "scripted", id: script.file };
  const capabilities = options.capabilities ?? { forcedChoice: "named", nativeSchema: false };
  return Object.freeze({
    ref: Object.freeze({ ...ref }),
    capabilities: Object.freeze({ ...capabilities }),
    round: (request: ModelRequest, run: RoundOptions = {}) => play(script, request, run),
  });
}

async function* play(
  script: Script,
  request: ModelRequest,
  { signal, onInput }: RoundOptions,
): AsyncGenerator<ModelEvent> {
  signal?.throwIfAborted();
  const index = answersIn(request.messages);
  const round = findRound(script, request, index);
  const calls = callsOf(round, { script, request, index });
  const usage: TokenUsage = { ...emptyUsage, ...round.usage };
  if (round.text) yield { type: "text", delta: round.text };
  for (const [index, call] of calls.entries()) {
    signal?.throwIfAborted();
    if (onInput?.(call) === "stop") {
      const message = rowOf(round, calls.slice(0, index + 1));
      yield { type: "finish", finishReason: "other", usage, stopped: true, message };
      return;
    }
    yield { type: "tool_call", call };
  }
  signal?.throwIfAborted();
  if (round.error !== undefined) throw scriptedError(script, round.error, usage);
  const finishReason = round.finish ?? (calls.length > 0 ? "tool_calls" : "stop");
  yield { type: "finish", finishReason, usage, message: rowOf(round, calls) };
}

/** The model's answers up to here, with those that a summary stands for. */
function answersIn(messages: readonly ModelMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + (message.role === "assistant" ? 1 : (summaryFacts(message)?.answers ?? 0)),
    0,
  );
}

/** Where a round stands, for its ids and its errors. */
interface Position {
  readonly script: Script;
  readonly request: ModelRequest;
  readonly index: number;
}

function findRound(script: Script, request: ModelRequest, index: number): ScriptedRound {
  const position = { script, request, index };
  const { agents } = script.content;
  const agent = Object.hasOwn(agents, request.agent) ? agents[request.agent] : undefined;
  if (agent === undefined) {
    throw miss(position, `the file has no such agent (${Object.keys(agents).join(", ") || "it has none"})`);
  }
  const step = agent.rounds[index];
  if (step === undefined) throw miss(position, `the agent has ${agent.rounds.length} rounds`);
  const alternatives = Array.isArray(step) ? (step as readonly ScriptedRound[]) : [step as ScriptedRound];
  const round = alternatives.find((candidate) => fits(candidate, request));
  if (round === undefined) throw miss(position, `none of its ${alternatives.length} alternatives fits`);
  return round;
}

function fits({ when }: ScriptedRound, request: ModelRequest): boolean {
  if (when === undefined) return true;
  const { session, contains } = when;
  if (session !== undefined && session !== request.member && session !== request.sessionId) return false;
  return contains === undefined || newestTexts(request.messages).some((text) => text.includes(contains));
}

/** The texts of the newest user message and of the tool results after it. */
function newestTexts(messages: readonly ModelMessage[]): readonly string[] {
  const start = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );
  return messages.slice(start).flatMap((message) => textsOf(message));
}

function textsOf(message: ModelMessage): readonly string[] {
  if (message.role === "tool") {
    return message.content.map(({ output }) => {
      const value = plainOutput(output);
      return typeof value === "string" ? value : JSON.stringify(value);
    });
  }
  if (message.role !== "user") return [];
  if (typeof message.content === "string") return [message.content];
  return message.content.map((part) => (part.type === "text" ? part.text : ""));
}

function callsOf(round: ScriptedRound, position: Position): readonly RequestedCall[] {
  const scripted = [
    ...(round.calls ?? []),
    ...(round.terminal === undefined ? [] : [{ name: TERMINAL_TOOL, input: round.terminal, id: undefined }]),
  ];
  return scripted.map(({ id, name, input }, number) => ({
    toolCallId: id ?? `call_${position.index}_${number}`,
    toolName: name === TERMINAL_TOOL ? terminalTool(position) : name,
    input: typeof input === "string" ? input : JSON.stringify(input),
  }));
}

function terminalTool(position: Position): string {
  const offered = position.request.tools.filter(({ name }) => name.startsWith(TERMINAL_PREFIX));
  const [tool] = offered;
  if (tool !== undefined && offered.length === 1) return tool.name;
  throw miss(position, `it calls ${TERMINAL_TOOL}, but ${offered.length} terminal tools are offered`);
}

function rowOf(round: ScriptedRound, calls: readonly RequestedCall[]): AssistantMessage {
  const text = round.text ? [{ type: "text" as const, text: round.text }] : [];
  const parts = calls.map(({ toolCallId, toolName, input }) => {
    const parsed = parseStrict(input);
    return { type: "tool-call" as const, toolCallId, toolName, input: parsed.ok ? parsed.value : input };
  });
  return { role: "assistant", content: [...text, ...parts] };
}

function miss({ script, request, index }: Position, why: string): ModelError<"scripted_miss"> {
  const { agent } = request;
  const session = request.member ?? request.sessionId;
  return new ModelError(
    "scripted_miss",
    `${script.file}: no round ${index} for agent "${agent}" in session "${session}": ${why}`,
    { details: { file: script.file, agent, index, session } },
  );
}

function scriptedError(
  script: Script,
  error: NonNullable<ScriptedRound["error"]>,
  usage: TokenUsage,
): ModelError {
  const message = error.message ?? `${script.file}: a scripted ${error.code}`;
  if (error.code === "network") {
    return new ModelError("network", message, { details: { reason: "scripted" }, usage });
  }
  return new ModelError(error.code, message, { details: {}, usage });
}
