import { emptyUsage, untilAborted, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import {
  checkCandidate,
  type CandidateCheck,
  type Validate,
  type ValidateContext,
} from "../check-candidate.ts";
import { interpretingValidator } from "../interpreter/index.ts";
import { unusable } from "../model-turn/ai-model.ts";
import type { Normalisation, OutputIssue } from "../output-result.ts";
import { defineOutput, type OutputSpec } from "../output-spec.ts";
import { stateOf } from "../run-abort.ts";
import { candidateOf, readResult, textOf } from "./tool-result.ts";

/** How a call of an MCP tool ended whose answer was to be of a type: one union, told apart by `status`. */
export type ToolOutput<T> =
  /** `normalized` is true when the value is not the literal reading of what the tool answered; `notes` say how. */
  | {
      readonly status: "accepted";
      readonly value: T;
      readonly normalized: boolean;
      readonly notes: readonly Normalisation[];
    }
  | {
      readonly status: "mismatch";
      readonly at: OutputIssue["stage"];
      readonly issues: readonly OutputIssue[];
      readonly candidate?: JsonValue;
    }
  /** `validate` refused the value. */
  | { readonly status: "rejected"; readonly reason: string; readonly candidate: JsonValue }
  /** There is no structured content, and no single text in its place. */
  | { readonly status: "missing"; readonly text: string }
  /** The tool answered that it failed (`isError`), or guards denied the call. */
  | { readonly status: "tool_error"; readonly text: string }
  | { readonly status: "cancelled" }
  /** The call was not answered: what the client threw, or a check of the caller's own that failed. */
  | { readonly status: "failed"; readonly error: unknown };

/** What else is to be checked. */
export interface ToolOutputOptions {
  /** Ends the wait. Give it to the client as well: it tells the server. */
  readonly signal?: AbortSignal | undefined;
  /** The caller's own check of a value that fits the schema. */
  readonly validate?: Validate | undefined;
}

/** A tool as `listTools` of an MCP client lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly outputSchema?: unknown;
}

/**
 * The spec of what a tool says it answers. Its schema comes from the server: it is read by an engine that runs no code of it,
 * and whose patterns take linear time.
 *
 * @throws OutputError `unusable_host` for a tool without an `outputSchema`; `definition_error` for a schema that is none.
 */
export function specOfTool({ name, description, outputSchema }: ListedTool): OutputSpec<JsonObject> {
  if (outputSchema === undefined || outputSchema === null)
    throw unusable("tool", `'${name}' has no outputSchema: define an output of your own`);
  return defineOutput<JsonObject>({
    name,
    description: description ?? name,
    schema: outputSchema as JsonSchema,
    validator: interpretingValidator(),
  });
}

/**
 * What an MCP tool answered, as a checked value: `await toolOutput(client.callTool({ name, arguments }), spec)`. The answer is
 * the result's `structuredContent`, or else the JSON of its one text; it is read and checked as an answer of a model is. A
 * guarded client does as well. Asks nobody again.
 *
 * @throws OutputError `schema_invalid`, `peer_missing` when the spec's schema cannot be compiled.
 */
export async function toolOutput<T>(
  called: unknown,
  spec: OutputSpec<T>,
  { signal = new AbortController().signal, validate }: ToolOutputOptions = {},
): Promise<ToolOutput<T>> {
  // Taken at once: what a call is refused with before the schema is compiled has somebody who reads it.
  const answering = Promise.resolve(called).then(
    (answered) => ({ answered }),
    (error: unknown) => ({ error }),
  );
  const compiled = await spec.compile();
  const ended = await untilAborted(signal, () => answering).catch((error: unknown) => ({ error }));
  if (signal.aborted) return { status: "cancelled" };
  if ("error" in ended) return { status: "failed", error: ended.error };
  const result = readResult(ended.answered);
  if (result === undefined)
    return { status: "failed", error: new TypeError("the client answered no tool result") };
  if (result.isError) return { status: "tool_error", text: textOf(result) };
  const text = candidateOf(result);
  if (text === undefined) return { status: "missing", text: textOf(result) };
  const fenced = result.structuredContent === undefined;
  const validateContext = (): ValidateContext => ({ signal, attempt: 1, remaining: 0, usage: emptyUsage });
  const reading = { spec, compiled, toolName: spec.name, whole: true };
  const asking = { validate, validateContext, abort: stateOf(signal), redact: false };
  return outputOf(await checkCandidate({ text, fenced }, { ...reading, ...asking }));
}

function outputOf<T>(check: CandidateCheck<T>): ToolOutput<T> {
  switch (check.verdict) {
    case "accepted": {
      const { value, notes } = check;
      return { status: "accepted", value, normalized: notes.length > 0, notes };
    }
    case "malformed":
      return { status: "mismatch", at: "parse", issues: check.issues, candidate: check.candidate };
    case "mismatch":
      return { status: "mismatch", at: "schema", issues: check.issues, candidate: check.candidate };
    case "undecodable":
      return { status: "mismatch", at: "decode", issues: check.issues, candidate: check.candidate };
    case "truncated": {
      const message = "the answer is cut off";
      return { status: "mismatch", at: "parse", issues: [{ stage: "parse", pointer: "", message }] };
    }
    case "rejected":
      return { status: "rejected", reason: check.message, candidate: check.candidate };
    case "aborted":
      return { status: "cancelled" };
    case "failed":
      return { status: "failed", error: check.error };
  }
}
