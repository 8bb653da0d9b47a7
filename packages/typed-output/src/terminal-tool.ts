import type { JsonObject, ToolResult } from "@basis/core";
import type { OutputSpec } from "./output-spec.ts";
import type { ReplyFacts, Settlement } from "./terminal-gate.ts";
import type { Rung } from "./ladder.ts";

/** The terminal tool as data, for a host to put into its request; always the last of the list. */
export interface TerminalTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** True when the schema was written for a provider's strict mode: the request says `strict`. */
  readonly strict?: boolean;
}

/** A format that the provider holds the text to. */
export interface ResponseFormat {
  readonly type: "json_schema";
  /** `[A-Za-z0-9_-]`, at most 64 characters. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  /** As the tool's. */
  readonly strict?: boolean;
}

/** The tool that a spec becomes under a reserved name; `strict` asks for the provider's strict mode. */
export function terminalTool(spec: OutputSpec<unknown>, name: string, strict: boolean): TerminalTool {
  const { description } = spec;
  const inputSchema = spec.inputSchema as JsonObject;
  return Object.freeze(
    strict ? { name, description, inputSchema, strict } : { name, description, inputSchema },
  );
}

/** The same as a format for text. */
export function responseFormat({ inputSchema: schema, ...tool }: TerminalTool): ResponseFormat {
  return Object.freeze({ type: "json_schema", ...tool, schema });
}

/** The result of a call that is not run. */
export function errorResult(text: string): ToolResult {
  return { output: text, isError: true };
}

/** The settlement of a call that is not the answer. */
export function feedback(text: string): Settlement {
  return { kind: "feedback", result: errorResult(text) };
}

/** True for a reply in which the model, or a filter, refused. */
export function isRefusal({ finish }: ReplyFacts): boolean {
  return finish === "refusal" || finish === "content_filter";
}

/** What the model reads: the results of calls and the words that are added before a round. */
export const words = {
  accepted: "accepted",
  notExecuted: (tool: string): string => `not executed: run terminated by '${tool}'`,
  notUsed: (tool: string): string => `not used: an earlier call of '${tool}' in this round was accepted`,
  notOffered: (name: string, tool: string): string =>
    `not executed: '${name}' is not available now; answer by calling '${tool}'`,
  notOfferedText: (name: string): string =>
    `not executed: '${name}' is not available now; answer with the JSON document`,
  stale: "not accepted: this call does not belong to the run's current round",
  foreign: "not accepted: this tool belongs to another agent",
  duplicate: "not executed: another call of this round has the same id",
  overBudget: "not executed: the run's tool budget is used up",
  ended: "not executed: the run has ended",
  cutCall: "not executed: the reply reached its limit in this call",
  cutOff: "not accepted: the answer was cut off",
  unchecked: "not accepted: the answer could not be checked",
  unreadable: "not accepted: the answer could not be read as its type",
  reminder: (tool: string): string =>
    `You have not answered yet. When your work is done, give the answer by calling the tool '${tool}'.`,
  closing: (tool: string): string => `Give your answer now by calling the tool '${tool}'. Do nothing else.`,
  native: "Give your answer now as one JSON document.",
  veto: (failures: readonly string[]): string =>
    `not accepted: another call of this round failed. Look at it, then answer again.\n${failures.join("\n")}`,
} as const;

/** The instruction that a rung needs, once; undefined when the request says it all. */
export function instructionFor(rung: Rung, spec: OutputSpec<unknown>, tool: string): string | undefined {
  switch (rung) {
    case "tool":
    case "required":
      return undefined;
    case "native":
      return words.native;
    case "auto":
      return words.closing(tool);
    case "prompted":
      return promptedInstruction(spec);
    default:
      return rung satisfies never;
  }
}

function promptedInstruction(spec: OutputSpec<unknown>): string {
  const about = spec.description === "" ? "" : `${spec.description}\n`;
  const schema = JSON.stringify(spec.inputSchema);
  return `${about}Answer with one JSON document and nothing else. It must fit this JSON Schema:\n${schema}`;
}
