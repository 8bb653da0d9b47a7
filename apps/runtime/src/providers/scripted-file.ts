import { parseStrict, type JsonObject, type JsonValue, type TokenUsage } from "@basis/core";
import { readRegularFile, unreadable } from "../input/regular-file.ts";
import { checkShape } from "../input/check-shape.ts";
import { lineAt, valueLines } from "../input/json-lines.ts";
import { ModelError, type FileProblem } from "./model-error.ts";
import type { FinishReason } from "./model.ts";

/** A call of a scripted round. `name` may be `$output`; a text as `input` is sent as it stands, anything else as JSON. */
export interface ScriptedCall {
  /** Default `call_{round}_{number}`, both counted from 0. */
  readonly id?: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** The codes a scripted round can fail with. */
export type ScriptedErrorCode =
  | "rate_limited"
  | "overloaded"
  | "server_error"
  | "quota_exceeded"
  | "auth"
  | "not_found"
  | "bad_request"
  | "context_length"
  | "network"
  | "stream_error";

/** What a scripted model says in one round: the text, then the calls, then the terminal call. */
export interface ScriptedRound {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** The argument text, as sent, of a call of the generated terminal tool. */
  readonly terminal?: string;
  /** Default `tool_calls` when there are calls, else `stop`. */
  readonly finish?: FinishReason;
  readonly usage?: Partial<TokenUsage>;
  /** Ends the round with this error, after the text and calls. */
  readonly error?: { readonly code: ScriptedErrorCode; readonly message?: string };
  /** All that is named must fit, else the round is passed over. */
  readonly when?: {
    /** The session's member name or id. */
    readonly session?: string;
    /** A text in the newest user message or in a tool result after it. */
    readonly contains?: string;
  };
}

/** One agent's rounds in order; a list stands for alternatives, of which the first that fits is taken. */
export interface ScriptedAgent {
  readonly rounds: readonly (ScriptedRound | readonly ScriptedRound[])[];
}

/**
 * A model's replies as a file, by agent name (`main` is the root agent):
 *
 *     {"schema": 1, "agents": {"main": {"rounds": [
 *       {"text": "Reading.", "calls": [{"name": "read", "input": {"path": "README.md"}}]},
 *       [{"when": {"session": "left"}, "text": "left"}, {"text": "right"}],
 *       {"terminal": "{\"verdict\":\"ok\"}"}
 *     ]}}}
 *
 * The round is the number of assistant rows in the transcript, so that a resumed, forked or compacted session goes on
 * where its rows end. Summaries of compactions are asked of the agent `compaction`, each as its round 0. `$output` is the terminal tool generated for a typed answer.
 */
export interface ScriptedFile {
  readonly schema: 1;
  readonly agents: Readonly<Record<string, ScriptedAgent>>;
}

/** A scripted file that was read: its path as given, and what it holds. */
export interface Script {
  readonly file: string;
  readonly content: ScriptedFile;
}

const count: JsonObject = { type: "integer", minimum: 0 };
const text: JsonObject = { type: "string" };

/** The JSON Schema of `ScriptedFile`. */
export const scriptedFileSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "A scripted model",
  type: "object",
  required: ["schema", "agents"],
  additionalProperties: false,
  properties: {
    schema: { const: 1 },
    agents: { type: "object", additionalProperties: { $ref: "#/$defs/agent" } },
  },
  $defs: {
    agent: {
      type: "object",
      required: ["rounds"],
      additionalProperties: false,
      properties: {
        rounds: {
          type: "array",
          items: { anyOf: [{ $ref: "#/$defs/round" }, { $ref: "#/$defs/alternatives" }] },
        },
      },
    },
    alternatives: { type: "array", items: { $ref: "#/$defs/round" } },
    round: {
      type: "object",
      additionalProperties: false,
      properties: {
        text,
        calls: { type: "array", items: { $ref: "#/$defs/call" } },
        terminal: text,
        finish: { enum: ["stop", "length", "tool_calls", "content_filter", "error", "other"] },
        usage: {
          type: "object",
          additionalProperties: false,
          properties: {
            inputTokens: count,
            outputTokens: count,
            cachedInputTokens: count,
            reasoningTokens: count,
          },
        },
        error: {
          type: "object",
          required: ["code"],
          additionalProperties: false,
          properties: {
            code: {
              enum: [
                "rate_limited",
                "overloaded",
                "server_error",
                "quota_exceeded",
                "auth",
                "not_found",
                "bad_request",
                "context_length",
                "network",
                "stream_error",
              ],
            },
            message: text,
          },
        },
        when: {
          type: "object",
          additionalProperties: false,
          properties: { session: text, contains: text },
        },
      },
    },
    call: {
      type: "object",
      required: ["name", "input"],
      additionalProperties: false,
      properties: { id: { type: "string", minLength: 1 }, name: { type: "string", minLength: 1 }, input: {} },
    },
  },
};

/** Most bytes of a scripted file. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads a scripted file. @throws ModelError `scripted_file` with every problem, its pointer and its line. */
export async function readScript(path: string, options: { signal?: AbortSignal } = {}): Promise<Script> {
  options.signal?.throwIfAborted();
  let source: string;
  try {
    source = readRegularFile(path, { maxBytes: MAX_BYTES }).toString("utf8");
  } catch (error) {
    throw scriptError(path, [{ pointer: "", message: unreadable(error) }]);
  }
  return parseScript(source, path);
}

/** The script in a text; `file` names it in errors. @throws ModelError `scripted_file`. */
export function parseScript(source: string, file: string): Script {
  const parsed = parseStrict(source, { maxBytes: MAX_BYTES });
  if (!parsed.ok) {
    throw scriptError(file, [{ pointer: "", message: parsed.message, line: lineAt(source, parsed.offset) }]);
  }
  const problems = checkShape(scriptedFileSchema, parsed.value);
  if (problems.length === 0) return { file, content: parsed.value as unknown as ScriptedFile };
  const lines = valueLines(source);
  throw scriptError(
    file,
    problems.map((problem) => ({ ...problem, line: lines.get(problem.pointer) ?? 1 })),
  );
}

function scriptError(file: string, problems: readonly FileProblem[]): ModelError<"scripted_file"> {
  const told = problems.map(({ pointer, message, line }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return pointer === "" ? `${place}: ${message}` : `${place}: ${pointer}: ${message}`;
  });
  return new ModelError("scripted_file", told.join("\n"), { details: { file, problems } });
}
