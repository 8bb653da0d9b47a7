import type { JsonObject, JsonValue } from "@basis/core";
import type { HookSettings } from "../node/hook-spec.ts";
import type { CallQuestion } from "./call-question.ts";

/** A tool that no host has: what it would do does not exist. */
const NO_TOOL = "example_tool";

/** A call that a hook's filters let through, as far as they can be met; undefined for a hook that is never asked. */
export function sampleCallFor(settings: HookSettings): CallQuestion | undefined {
  const { event, tools, effect, input: predicates } = settings;
  const toolName = tools === undefined ? NO_TOOL : tools[0] && sampleText(tools[0]);
  if (toolName === undefined) return undefined;
  const input = inputFor(predicates ?? {});
  return {
    event,
    input,
    call: {
      agentId: "main",
      toolCallId: "sample",
      toolName,
      inputJson: JSON.stringify(input),
      effect: effect?.[0],
    },
    result: event === "post_tool_use" ? { output: "an example result", isError: false } : undefined,
  };
}

/** A text that a glob matches. */
function sampleText(glob: string): string {
  return glob.replaceAll("*", "").replaceAll("?", "x") || "x";
}

/** An input in which each pointer names a text that its glob matches. */
function inputFor(predicates: Readonly<Record<string, string>>): JsonObject {
  let input: JsonObject = {};
  for (const [pointer, glob] of Object.entries(predicates)) {
    const tokens = pointer
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
    input = withValue(input, tokens, sampleText(glob)) as JsonObject;
  }
  return input;
}

function withValue(value: JsonValue | undefined, tokens: readonly string[], leaf: string): JsonValue {
  const [token, ...rest] = tokens;
  if (token === undefined) return leaf;
  const members = typeof value === "object" && value !== null ? (value as JsonObject) : {};
  const member = Object.hasOwn(members, token) ? members[token] : undefined;
  return Object.fromEntries([...Object.entries(members), [token, withValue(member, rest, leaf)]]);
}
