import type { JsonObject, JsonSchema, JsonValue } from "@basis/core";
import { describeIssue } from "../feedback.ts";
import { interpretParts } from "../interpreter/interpreting-validator.ts";
import type { OutputIssue } from "../output-result.ts";
import type { OutputSpec } from "../output-spec.ts";
import type { CompiledSchema, SchemaIssue } from "../schema-validator.ts";
import { elementSchema, listPlaces } from "./list-places.ts";

/** What an element's check said. */
export interface JudgedElement {
  readonly index: number;
  readonly value: JsonValue;
  readonly issues: readonly OutputIssue[];
}

/** Watches one list of an answer, element by element. */
export class ElementWatch {
  readonly pointer: string;
  /** What the author's schema says of the list; nothing where that depends on the rest of the answer. */
  readonly #lists: readonly JsonObject[];
  readonly #compile: (part: JsonSchema) => CompiledSchema;
  readonly #redact: boolean;
  readonly #compiled = new Map<JsonSchema, CompiledSchema>();
  #told = 0;

  /** @throws OutputError `definition_error` when the pointer leads to no list of the schema. */
  constructor(spec: OutputSpec<unknown>, pointer: string, redact: boolean) {
    const { schema, draft, schemas } = spec;
    this.pointer = pointer;
    this.#redact = redact;
    this.#compile = interpretParts(schema, { draft, schemas });
    this.#lists = listPlaces(spec, pointer);
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

  #check(index: number, value: JsonValue): readonly SchemaIssue[] {
    return this.#lists.flatMap((list) => {
      const schema = elementSchema(list, index);
      const compiled = this.#compiled.get(schema) ?? this.#compile(schema);
      this.#compiled.set(schema, compiled);
      return compiled.check(value);
    });
  }
}
