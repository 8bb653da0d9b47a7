import {
  canonicalJson,
  isJsonObject,
  isStandardSchema,
  type JsonValue,
  type StandardSchema,
} from "@basis/core";
import { RefusedCall } from "../binding/refused-call.ts";
import type { LangChainTool } from "./lang-chain.ts";

/**
 * The input as its tool's own schema makes it, which is what a person must be shown (S7). One that the schema refuses stays as
 * it is: the tool refuses it in the framework's words, whoever allowed it.
 */
export async function finalInput({ name, schema }: LangChainTool, args: unknown): Promise<unknown> {
  if (!isStandardSchema(schema)) return args;
  const made = await parsed(schema, args);
  if (made === undefined || isSame(made.value, args)) return args;
  const again = await parsed(schema, made.value);
  if (again !== undefined && isSame(again.value, made.value)) return made.value;
  throw new RefusedCall(
    `Tool execution denied: the schema of '${String(name)}' makes another input of it each time`,
  );
}

async function parsed(
  schema: StandardSchema,
  args: unknown,
): Promise<{ readonly value: unknown } | undefined> {
  const { issues, ...rest } = await schema["~standard"].validate(args);
  if (issues !== undefined) return undefined;
  const { value } = rest as { readonly value: unknown };
  // Tools of one text take `{input}` and hand the text on: that is no other input.
  return { value: typeof value === "string" && isJsonObject(args) ? { input: value } : value };
}

function isSame(left: unknown, right: unknown): boolean {
  try {
    return canonicalJson(left) === canonicalJson(right);
  } catch {
    return false;
  }
}

/** The tool with its calls held to one input, whatever middleware in between makes of them. */
export function heldTo(tool: LangChainTool, input: JsonValue): object {
  const expected = canonicalJson(input);
  const invoke: LangChainTool["invoke"] = (call, config) => {
    if (canonicalJson(call.args) === expected) return tool.invoke!(call, config);
    throw new RefusedCall("Tool execution denied: its input was changed after it was allowed");
  };
  const get = (target: LangChainTool, member: string | symbol): unknown =>
    member === "invoke" ? invoke : Reflect.get(target, member);
  return new Proxy(tool, { get });
}
