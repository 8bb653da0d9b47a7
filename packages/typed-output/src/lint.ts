import { childPointer, isJsonObject } from "@basis/core";
import type { OutputSpec } from "./output-spec.ts";
import { walkSchema } from "./schema-walk.ts";

/** Something about a spec that will cost answers. */
export interface LintWarning {
  /** JSON pointer into the spec's schema; empty for the spec itself. */
  readonly pointer: string;
  readonly message: string;
}

/** Warns about fields without a description: descriptions are the prompt. Pure; asks nobody. */
export function lint(spec: OutputSpec<unknown>): readonly LintWarning[] {
  const warnings: LintWarning[] = [];
  if (spec.description.trim() === "")
    warnings.push({ pointer: "", message: "the output has no description" });
  for (const { schema, pointer } of walkSchema(spec.schema)) {
    const properties = schema["properties"];
    for (const [name, field] of isJsonObject(properties) ? Object.entries(properties) : []) {
      if (!isJsonObject(field) || typeof field["description"] === "string") continue;
      if (field["const"] !== undefined || typeof field["$ref"] === "string") continue;
      const at = childPointer(childPointer(pointer, "properties"), name);
      warnings.push({ pointer: at, message: `the field ${JSON.stringify(name)} has no description` });
    }
  }
  return warnings;
}
