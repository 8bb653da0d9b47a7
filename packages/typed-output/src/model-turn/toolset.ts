import { isStandardSchema, parseStrict, type JsonObject, type JsonSchema, type ToolCall } from "@basis/core";
import { describeIssue } from "../feedback.ts";
import { interpretingValidator } from "../interpreter/index.ts";
import { detectDraft } from "../schema-walk.ts";
import { unusable, type AiMessage } from "./ai-model.ts";

/** A tool of the AI SDK, as far as it is looked at. */
interface AiTool {
  readonly type?: string | undefined;
  readonly isProviderExecuted?: boolean | undefined;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly providerOptions?: unknown;
  readonly execute?: ((input: unknown, options: object) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: unknown, options: object) => unknown) | undefined;
  readonly toModelOutput?: ((options: object) => unknown) | undefined;
}

/** Where a call stands when its tool runs. */
export interface CallPlace {
  readonly messages: readonly AiMessage[];
  readonly abortSignal: AbortSignal;
}

/** What a call came to: what the tool answered, and what the model reads of it. */
export interface CallEnd {
  readonly output: unknown;
  readonly isError: boolean;
  readonly shown: unknown;
}

type Checked = { readonly value: unknown } | { readonly problem: string };

/** The host's tools, checked once: what the model is told of them, and how their calls run. */
export class Toolset {
  readonly #tools: ReadonlyMap<string, AiTool>;

  /** @throws OutputError `unusable_host` for a tool that this loop cannot run. */
  constructor(tools: object) {
    this.#tools = new Map(Object.entries(tools) as [string, AiTool][]);
    for (const [name, tool] of this.#tools) {
      if (typeof tool.execute !== "function" || tool.isProviderExecuted === true)
        throw unusable("tools", `'${name}' runs somewhere else, and here every call has its result at once`);
    }
  }

  /** The tools as a request lists them. */
  async described(): Promise<readonly object[]> {
    return Promise.all(
      [...this.#tools].map(async ([name, { description, inputSchema, providerOptions }]) => ({
        type: "function",
        name,
        ...(typeof description === "string" && { description }),
        inputSchema: (await readSchema(name, inputSchema)).jsonSchema,
        ...(providerOptions !== undefined && { providerOptions }),
      })),
    );
  }

  /** Runs a call; whatever goes wrong is an error result. */
  async run({ toolCallId, toolName, input }: ToolCall, place: CallPlace): Promise<CallEnd> {
    const tool = this.#tools.get(toolName);
    if (!tool) return failed(`there is no tool '${toolName}'`);
    const options = { toolCallId, ...place };
    try {
      const checked = await check(toolName, tool, input);
      if ("problem" in checked) return failed(`Invalid input for '${toolName}': ${checked.problem}`);
      if (await needsApproval(tool, checked.value, options))
        return failed(`the call of '${toolName}' needs an approval, and nobody can be asked here`);
      const output = (await settled(tool.execute!(checked.value, options))) ?? null;
      const shown = await tool.toModelOutput?.({ toolCallId, input: checked.value, output });
      return { output, isError: false, shown: shown ?? plain(output) };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }
}

function failed(text: string): CallEnd {
  return { output: text, isError: true, shown: { type: "error-text", value: text } };
}

function plain(output: unknown): unknown {
  return typeof output === "string" ? { type: "text", value: output } : { type: "json", value: output };
}

async function needsApproval(
  { needsApproval: needs }: AiTool,
  input: unknown,
  options: object,
): Promise<boolean> {
  return Boolean(typeof needs === "function" ? await needs(input, options) : needs);
}

/** Of an async iterable the last value. */
async function settled(output: unknown): Promise<unknown> {
  if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (const value of output as AsyncIterable<unknown>) last = value;
  return last;
}

async function check(name: string, { inputSchema }: AiTool, input: string): Promise<Checked> {
  const parsed = parseStrict(input.trim() === "" ? "{}" : input);
  if (!parsed.ok) return { problem: parsed.message };
  const { validate, jsonSchema } = await readSchema(name, inputSchema);
  if (validate) return validate(parsed.value);
  const how = { draft: detectDraft(jsonSchema) ?? "2020-12", schemas: {} };
  const [issue] = (await interpretingValidator().compile(jsonSchema, how)).check(parsed.value);
  if (!issue) return { value: parsed.value };
  const { pointer, message } = describeIssue(issue, parsed.value, false);
  return { problem: `${pointer || "the input"}: ${message}` };
}

interface ReadSchema {
  readonly jsonSchema: JsonSchema;
  readonly validate?: (value: unknown) => Promise<Checked>;
}

/** Both kinds of schema: ai's own, and Standard Schema with a JSON Schema of its own (zod from 4.2). */
async function readSchema(name: string, given: unknown): Promise<ReadSchema> {
  if (isStandardSchema(given)) {
    const face = given["~standard"];
    if (face.jsonSchema === undefined)
      throw unusable("tools", `the schema of '${name}' has no JSON Schema: wrap it in ai's zodSchema(…)`);
    return {
      jsonSchema: face.jsonSchema.input({ target: "draft-07" }) as JsonObject,
      validate: async (value) => {
        const { issues, ...rest } = await face.validate(value);
        if (issues) return { problem: issues.map(({ message }) => message).join("; ") };
        return rest as { readonly value: unknown };
      },
    };
  }
  const schema = (typeof given === "function" ? (given as () => unknown)() : given) as {
    readonly jsonSchema: JsonSchema | PromiseLike<JsonSchema>;
    readonly validate?: (value: unknown) => unknown;
  };
  const jsonSchema = await schema.jsonSchema;
  const own = schema.validate;
  if (own === undefined) return { jsonSchema };
  const validate = async (value: unknown): Promise<Checked> => {
    const answer = (await own(value)) as { success: boolean; value?: unknown; error?: Error };
    return answer.success ? { value: answer.value } : { problem: answer.error?.message ?? "it does not fit" };
  };
  return { jsonSchema, validate };
}
