import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
} from "@ai-sdk/provider";
import { isJsonObject, type JsonValue } from "@basis/core";
import type {
  AssistantMessage,
  ModelMessage,
  ModelRequest,
  ResponseFormat,
  ToolResultPart,
  UserMessage,
} from "./model.ts";
import {
  addDigests,
  NO_BYTES,
  readBytes,
  resultWithImages,
  textOrFile,
  type FileForm,
  type PromptBytes,
} from "./prompt-files.ts";

type AssistantContent = Extract<LanguageModelV3Message, { role: "assistant" }>["content"];
type UserContent = Extract<LanguageModelV3Message, { role: "user" }>["content"];

/** Builds the provider packages' prompt from a transcript. */
export interface PromptBuilder {
  /** Reads the bytes that the messages name and `build` needs; undefined when there are none. */
  load(request: Pick<ModelRequest, "messages" | "blobs">): Promise<PromptBytes> | undefined;
  /** The system text first, then the messages; neighbouring tool messages become one, empty ones are left out. */
  build(request: Pick<ModelRequest, "system" | "messages">, bytes?: PromptBytes): LanguageModelV3Prompt;
}

/**
 * A builder for one interface version of the provider packages. What it made of a frozen message it uses again
 * while that object lives, so that a long transcript costs only its new rows, and a fork the parent's none.
 * `takesResultImages` is false for a package that would send a result's images as a text of their bytes.
 */
export function createPromptBuilder(
  specificationVersion: string,
  { takesResultImages = true }: { readonly takesResultImages?: boolean | undefined } = {},
): PromptBuilder {
  const made = new WeakMap<ModelMessage, LanguageModelV3Message>();
  const taggedFiles = specificationVersion !== "v3";
  const convert = (message: ModelMessage, bytes: PromptBytes): LanguageModelV3Message => {
    const known = made.get(message);
    if (known !== undefined) return known;
    const fresh = toProviderMessage(message, { taggedFiles, takesResultImages, bytes });
    if (Object.isFrozen(message)) made.set(message, fresh);
    return fresh;
  };
  return {
    load({ messages, blobs }) {
      const wanted = new Set<string>();
      for (const message of messages) if (!made.has(message)) addDigests(message, wanted);
      return wanted.size === 0 ? undefined : readBytes(blobs, wanted);
    },
    build({ system, messages }, bytes = NO_BYTES) {
      const prompt: LanguageModelV3Prompt = [];
      if (system !== undefined && system !== "") prompt.push({ role: "system", content: system });
      for (const message of messages) append(prompt, convert(message, bytes));
      return prompt;
    },
  };
}

/** The rest of a call's options; no sampling parameter is ever among them. */
export function toCallOptions(
  request: ModelRequest,
  prompt: LanguageModelV3Prompt,
): LanguageModelV3CallOptions {
  const { tools, toolChoice, responseFormat, maxOutputTokens } = request;
  return {
    prompt,
    includeRawChunks: true,
    ...(tools.length === 0 ? {} : { tools: tools.map(toFunctionTool), toolChoice }),
    ...(responseFormat && toFormatOptions(responseFormat)),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** OpenAI's package asks for strict mode unless it is told not to, and then the provider refuses most schemas. */
function toFormatOptions({
  strict = false,
  ...format
}: ResponseFormat): Pick<LanguageModelV3CallOptions, "responseFormat" | "providerOptions"> {
  return {
    responseFormat: { type: "json", ...format },
    providerOptions: { openai: { strictJsonSchema: strict } },
  };
}

/** The call with further facts for its provider beside those that it has. */
export function withProviderOptions(
  call: LanguageModelV3CallOptions,
  more: LanguageModelV3CallOptions["providerOptions"] = {},
): LanguageModelV3CallOptions {
  const { providerOptions: own = {} } = call;
  const merged = Object.entries(more).map(([name, facts]) => [name, { ...own[name], ...facts }] as const);
  return { ...call, providerOptions: { ...own, ...Object.fromEntries(merged) } };
}

function toFunctionTool(tool: ModelRequest["tools"][number]): LanguageModelV3FunctionTool {
  const { name, description, inputSchema, strict } = tool;
  return { type: "function", name, description, inputSchema, ...(strict === true && { strict }) };
}

function append(prompt: LanguageModelV3Prompt, message: LanguageModelV3Message): void {
  if (message.role === "assistant" && message.content.length === 0) return;
  const last = prompt.at(-1);
  if (message.role === "tool" && last?.role === "tool") {
    prompt[prompt.length - 1] = { ...last, content: [...last.content, ...message.content] };
  } else prompt.push(message);
}

/** How messages are converted. */
interface Conversion extends FileForm {
  readonly takesResultImages: boolean;
}

function toProviderMessage(message: ModelMessage, conversion: Conversion): LanguageModelV3Message {
  const options = message.providerOptions as LanguageModelV3Message["providerOptions"];
  const converted = withContent(message, conversion);
  return options === undefined ? converted : { ...converted, providerOptions: options };
}

function withContent(message: ModelMessage, conversion: Conversion): LanguageModelV3Message {
  const { role } = message;
  if (role === "system") return { role, content: message.content };
  if (role === "user") return { role, content: userContent(message, conversion) };
  if (role === "assistant") return { role, content: assistantContent(message, conversion) };
  return { role, content: message.content.map((part) => resultPart(part, conversion)) };
}

function resultPart(part: ToolResultPart, conversion: Conversion): LanguageModelV3ToolResultPart {
  if (part.output.type !== "content") return part as LanguageModelV3ToolResultPart;
  return { ...part, output: resultWithImages(part.output, conversion) } as LanguageModelV3ToolResultPart;
}

function userContent({ content }: UserMessage, form: FileForm): UserContent {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part) => textOrFile(part, form));
}

function assistantContent({ content }: AssistantMessage, form: FileForm): AssistantContent {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  const parts: AssistantContent = [];
  for (const part of content) {
    if (part.type === "reasoning") parts.push(part as AssistantContent[number]);
    else if (part.type === "tool-call") {
      parts.push({ ...part, input: sendableInput(part.input) } as AssistantContent[number]);
    } else if (part.type === "file" || part.text !== "" || part.providerOptions !== undefined) {
      parts.push(textOrFile(part, form));
    }
  }
  return parts;
}

/** Providers take only objects as arguments; anything else the model wrote is shown back to it inside one. */
function sendableInput(input: JsonValue): JsonValue {
  return isJsonObject(input) ? input : { unparsed_arguments: input };
}
