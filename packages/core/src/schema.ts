import type { JsonObject } from "./json.ts";

/** A JSON Schema document. Used by typed-output and hosts that declare tools. */
export type JsonSchema = JsonObject | boolean;

/** One complaint of a Standard Schema. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a Standard Schema answers. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** The part of a validator that every Standard Schema library implements. Source: https://standardschema.dev, version 1. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema: the schema a model may be shown. */
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => Record<string, unknown>;
          readonly output: (options: { readonly target: string }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** True for a value that carries the Standard Schema interface (libraries hang it on objects and on functions). */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const face = (value as { "~standard"?: { version?: unknown; validate?: unknown } })["~standard"];
  return face?.version === 1 && typeof face.validate === "function";
}
