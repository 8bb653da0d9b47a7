import { childPointer, isJsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { describeIssue } from "../feedback.ts";
import { interpretParts } from "../interpreter/interpreting-validator.ts";
import type { OutputIssue } from "../output-result.ts";
import type { OutputSpec } from "../output-spec.ts";
import type { CompiledSchema, SchemaIssue } from "../schema-validator.ts";

/** Tells of an object's members, as they are completed, whether the answer can still be accepted. */
export class DoomWatch {
  readonly #compile: (part: JsonSchema) => CompiledSchema;
  readonly #properties: Readonly<Record<string, JsonValue>>;
  readonly #isClosed: boolean;
  readonly #envelopes: readonly string[];
  readonly #redact: boolean;

  constructor(spec: OutputSpec<unknown>, toolName: string, redact: boolean) {
    const { schema, draft, schemas } = spec;
    // Beside a reference the properties may mean nothing: then nothing is certain.
    const root = isJsonObject(schema) && !Object.hasOwn(schema, "$ref") ? schema : {};
    this.#compile = interpretParts(schema, { draft, schemas });
    this.#properties = isJsonObject(root["properties"]) ? root["properties"] : {};
    this.#isClosed = root["additionalProperties"] === false && root["patternProperties"] === undefined;
    this.#envelopes = [toolName, spec.name, "output"];
    this.#redact = redact;
  }

  /** Why an answer with that member, which is whole, is lost; empty while it is not. */
  judge(name: string, value: JsonValue): readonly OutputIssue[] {
    if (!Object.hasOwn(this.#properties, name)) {
      if (!this.#isClosed || this.#envelopes.includes(name)) return [];
      const message = `unknown property ${JSON.stringify(name.slice(0, 80))}`;
      const allowed = Object.keys(this.#properties);
      const issue = { pointer: "", keyword: "additionalProperties", message, allowed };
      return [describeIssue(issue, { [name]: value }, this.#redact)];
    }
    const found = this.#compile(this.#properties[name] as JsonSchema).check(value);
    if (found.some((issue) => mayBeUndone(issue))) return [];
    const at = childPointer("", name);
    return found.map((issue) => {
      const described = describeIssue(issue, value, this.#redact);
      return { ...described, pointer: `${at}${described.pointer}` };
    });
  }
}

/** A list or object written as a string is read as one later. */
function mayBeUndone({ keyword, kinds = [] }: SchemaIssue): boolean {
  return keyword === "type" && (kinds.includes("object") || kinds.includes("array"));
}
