import { canonicalJson, type JsonValue } from "@basis/core";
import { whyNotJson } from "../binding/plain-json.ts";
import type { ToolDetails } from "./agent-tool.ts";

/** Under this symbol the runner hands a tool the function to be told of what its schema made of an input, just before it executes. */
const TELL_PARSED = "openai.agents.functionToolParsedInputCallback";

/** Thrown into a tool whose schema makes something else of an input than what was judged. */
class ConvertedInput extends Error {}

/** What a tool's schema made of the input that was judged; nothing while it is the same. */
export interface ParsedInput {
  converted?: { readonly value: unknown } | undefined;
}

/**
 * The details of a call whose judged input is `inputJson`. Once the tool's own schema makes something else of it, the
 * tool stops before it executes and `parsed` says what it is.
 */
export function detailsOf(
  details: ToolDetails | undefined,
  inputJson: string,
  parsed: ParsedInput,
): ToolDetails | undefined {
  if (details === undefined) return undefined;
  const { toolCall } = details;
  const copy = Object.create(
    Object.getPrototypeOf(details) as object,
    Object.getOwnPropertyDescriptors(details),
  ) as Record<string | symbol, unknown>;
  // A tool may read its arguments here, too. The framework knows a call by the object, which stays where nothing changed.
  if (toolCall && !isSame(toolCall.arguments, inputJson))
    copy["toolCall"] = { ...toolCall, arguments: inputJson };
  const key = Object.getOwnPropertySymbols(details).find(({ description }) => description === TELL_PARSED);
  if (key === undefined) return copy;
  const tell = copy[key] as ((value: unknown) => void) | undefined;
  copy[key] = (value: unknown): void => {
    const isJudged =
      whyNotJson(value) === undefined &&
      canonicalJson(JSON.parse(JSON.stringify(value)) as JsonValue) ===
        canonicalJson(JSON.parse(inputJson) as JsonValue);
    if (!isJudged) {
      parsed.converted = { value };
      throw new ConvertedInput("the schema makes another input of what was judged");
    }
    tell?.(value);
  };
  return copy;
}

function isSame(given: string | undefined, judged: string): boolean {
  if (given === undefined || given === judged) return true;
  try {
    return canonicalJson(JSON.parse(given) as JsonValue) === canonicalJson(JSON.parse(judged) as JsonValue);
  } catch {
    return false;
  }
}
