import { isJsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { describeIssue } from "../feedback.ts";
import { interpretParts } from "../interpreter/interpreting-validator.ts";
import type { OutputIssue } from "../output-result.ts";
import type { OutputSpec } from "../output-spec.ts";
import { followLocal } from "../schema-references.ts";
import type { CompiledSchema } from "../schema-validator.ts";
import { atPointer } from "../schema-walk.ts";

/** What an element's check said. */
export interface JudgedElement {
  readonly index: number;
  readonly value: JsonValue;
  readonly issues: readonly OutputIssue[];
}

/** Watches one list of an answer, element by element. */
export class ElementWatch {
  readonly pointer: string;
  readonly #list: JsonValue;
  readonly #compile: (part: JsonSchema) => CompiledSchema;
  readonly #redact: boolean;
  readonly #compiled = new Map<JsonSchema, CompiledSchema>();
  #told = 0;

  constructor(spec: OutputSpec<unknown>, pointer: string, redact: boolean) {
    const { schema, draft, schemas } = spec;
    this.pointer = pointer;
    this.#redact = redact;
    this.#compile = interpretParts(schema, { draft, schemas });
    this.#list = listSchema(schema, pointer);
  }

  /** Another answer begins. */
  reset(): void {
    this.#told = 0;
  }

  /** The elements that are whole and were not told before. */
  *take(list: readonly JsonValue[], complete: number): Generator<JudgedElement> {
    for (; this.#told < complete; this.#told += 1) {
      const index = this.#told;
      const value = list[index]!;
      const issues = this.#check(index, value).map((issue) => {
        const described = describeIssue(issue, value, this.#redact);
        return { ...described, pointer: `${this.pointer}/${index}${described.pointer}` };
      });
      yield { index, value, issues };
    }
  }

  #check(index: number, value: JsonValue): ReturnType<CompiledSchema["check"]> {
    const schema = this.#schemaOf(index);
    const compiled = this.#compiled.get(schema) ?? this.#compile(schema);
    this.#compiled.set(schema, compiled);
    return compiled.check(value);
  }

  #schemaOf(index: number): JsonSchema {
    const list = this.#list;
    if (!isJsonObject(list)) return true;
    const items = list["items"];
    const places = Array.isArray(list["prefixItems"])
      ? list["prefixItems"]
      : Array.isArray(items)
        ? items
        : [];
    const own = (places as readonly JsonSchema[])[index];
    const rest = Array.isArray(items) ? list["additionalItems"] : items;
    return own ?? (rest as JsonSchema | undefined) ?? true;
  }
}

/** What the author's schema says of the list at a pointer into the answer. */
function listSchema(root: JsonSchema, pointer: string): JsonValue {
  let at: JsonValue = followLocal(root, root);
  for (const token of pointer.split("/").slice(1)) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const members: JsonValue = isJsonObject(at) ? (at["properties"] ?? {}) : {};
    at = followLocal(
      root,
      atPointer(members, `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`) ?? true,
    );
  }
  return at;
}
