import type { JsonValue } from "@basis/core";
import type { ToolOutput } from "./model.ts";

/** A tool's answer without its images. */
export function plainOutput(output: ToolOutput): JsonValue {
  if (output.type !== "content") return output.value;
  return output.value.map((part) => (part.type === "text" ? part.text : "")).join("");
}
