import { isStandardSchema, type JsonObject } from "@basis/core";
import { unusable } from "../model-turn/ai-model.ts";
import type { ChatMessage, ChatTool } from "./chat-model.ts";

/** Tools of LangChain as the turn takes them. Each holds its inputs to its schema itself. */
export function turnTools(tools: readonly ChatTool[]): object {
  return Object.fromEntries(
    tools.map((tool) => {
      const { name, description, schema } = tool;
      if (typeof name !== "string" || typeof tool.invoke !== "function")
        throw unusable("tools", `'${String(name)}' does not run in this process`);
      const running = tool as RunningTool;
      const execute = async (args: unknown, place: Place): Promise<unknown> => {
        const call = { type: "tool_call", id: place.toolCallId, name, args };
        return shown(name, await running.invoke(call, { signal: place.abortSignal }));
      };
      const validate = (value: unknown): object => ({ success: true, value });
      return [
        name,
        { description, inputSchema: { jsonSchema: jsonSchemaOf(name, schema), validate }, execute },
      ];
    }),
  );
}

interface RunningTool {
  invoke(call: object, config: object): Promise<ChatMessage | string>;
}

interface Place {
  readonly toolCallId: string;
  readonly abortSignal: AbortSignal;
}

function shown(name: string, answer: ChatMessage | string): unknown {
  if (typeof answer === "string") return answer;
  if (answer.content === undefined)
    throw new Error(`'${name}' answered a command of a graph, and there is no graph here`);
  if (answer.status !== "error") return answer.content;
  throw new Error(typeof answer.content === "string" ? answer.content : JSON.stringify(answer.content));
}

function jsonSchemaOf(name: string, schema: unknown): JsonObject {
  if (!isStandardSchema(schema)) return schema as JsonObject;
  const face = schema["~standard"];
  if (face.jsonSchema === undefined)
    throw unusable(
      "tools",
      `the schema of '${name}' has no JSON Schema: write it in zod from 4.2, or as JSON Schema`,
    );
  return face.jsonSchema.input({ target: "draft-07" }) as JsonObject;
}
