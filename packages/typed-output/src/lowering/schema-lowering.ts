import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { startFrame } from "../interpreter/judge.ts";
import { SchemaJudges } from "../interpreter/schema-judges.ts";
import type { LedgerEntry } from "../ledger.ts";
import { ReferenceIndex } from "../schema-references.ts";
import type { CompileOptions, SchemaIssue } from "../schema-validator.ts";
import { setOwn } from "../schema-walk.ts";
import { jsonText, nullOr, ReferenceCodec, same } from "./codec.ts";
import type { Dialect } from "./dialect.ts";
import { lowerNode } from "./lower-node.ts";
import { addNull, fitsNull } from "./lower-union.ts";
import { spellOutNullable } from "./normal-form.ts";
import { NodeNotes, type Lowered, type LoweringHost, type Place } from "./lowering-host.ts";

/** Most schemas that one document may become; a document that multiplies by its references ends here. */
const MAX_NODES = 20_000;

/** Most references followed on the way to one answer. */
const MAX_FOLLOWED = 16;

interface Definition {
  readonly name: string;
  readonly codec: ReferenceCodec;
  lowered: Lowered | undefined;
}

/** One document on its way into a dialect. */
export class SchemaLowering implements LoweringHost {
  readonly dialect: Dialect;
  readonly ledger: LedgerEntry[] = [];
  /** Where the dialect has no way to say what the author says. */
  readonly unsupported: { readonly pointer: string; readonly message: string }[] = [];
  readonly index: ReferenceIndex;
  readonly root: JsonObject;
  /** True in drafts where what stands beside a reference means nothing. */
  readonly ignoresSiblings: boolean;
  readonly #rootCodec = new ReferenceCodec();
  readonly #definitions = new Map<JsonSchema, Definition>();
  readonly #targets = new Map<string, JsonObject>();
  #judges: SchemaJudges | undefined;
  #document: JsonObject = {};
  readonly #spelledOut = new WeakMap<JsonObject, JsonSchema>();
  #nodes = 0;

  constructor(root: JsonObject, dialect: Dialect, options: CompileOptions) {
    this.root = root;
    this.dialect = dialect;
    this.ignoresSiblings = options.draft === "draft-04" || options.draft === "draft-07";
    this.index = new ReferenceIndex(root, options);
  }

  /** Lowers the whole document. */
  lowerRoot(): Lowered {
    const { schema, codec } = this.#lowerBody(this.root, { ...START, pointer: "" });
    this.#rootCodec.target = codec;
    const definitions: Record<string, JsonValue> = {};
    for (const { name, lowered } of this.#definitions.values()) setOwn(definitions, name, lowered!.schema);
    const hasDefinitions = Object.keys(definitions).length > 0;
    this.#document = hasDefinitions ? { ...schema, $defs: definitions } : schema;
    return { schema: this.#document, codec };
  }

  lower(schema: JsonSchema, place: Place): Lowered {
    this.#nodes += 1;
    if (schema === false)
      new NodeNotes(this, place.pointer).drop("false", "that nothing is allowed here cannot be said");
    if (this.#nodes > MAX_NODES || !isJsonObject(schema)) return this.any();
    return this.#lowerBody(schema, place);
  }

  #lowerBody(schema: JsonObject, place: Place): Lowered {
    const notes = new NodeNotes(this, place.pointer);
    const lowered = lowerNode({ node: schema, place, host: this, notes });
    return describe(lowered, schema, notes.texts);
  }

  any(): Lowered {
    if (this.dialect.untyped) return { schema: {}, codec: same };
    return {
      schema: { type: "string", description: "Any JSON value, written as JSON text." },
      codec: jsonText,
    };
  }

  takesNull(schema: JsonObject, depth = 0): boolean {
    if (depth > MAX_FOLLOWED) return false;
    if (Array.isArray(schema["anyOf"])) {
      return (schema["anyOf"] as JsonObject[]).some((branch) => this.takesNull(branch, depth + 1));
    }
    const target = this.#targetOf(schema);
    if (target === undefined) return fitsNull(schema);
    const lowered = this.#definitions.get(target)?.lowered;
    return lowered ? this.takesNull(lowered.schema, depth + 1) : this.authorTakesNull(target);
  }

  nullable(lowered: Lowered): Lowered {
    if (this.takesNull(lowered.schema)) return { ...lowered, codec: nullOr(lowered.codec) };
    return { schema: addNull(lowered, this.dialect.nulls), codec: nullOr(lowered.codec) };
  }

  /** True where null fits what the author says of a place; an upper bound. */
  authorTakesNull(schema: JsonSchema, depth = 0): boolean {
    if (!isJsonObject(schema)) return schema;
    if (depth > MAX_FOLLOWED) return false;
    const target = typeof schema["$ref"] === "string" ? this.find(schema, schema["$ref"]) : undefined;
    if (target !== undefined) return this.authorTakesNull(target, depth + 1);
    const union = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(union))
      return (union as JsonSchema[]).some((branch) => this.authorTakesNull(branch, depth + 1));
    return fitsNull(schema);
  }

  note(entry: Omit<LedgerEntry, "provider">): void {
    this.ledger.push({ ...entry, provider: this.dialect.provider });
  }

  /** The schema that a reference means. */
  find(node: JsonObject, reference: string): JsonSchema | undefined {
    return this.index.find(this.index.targetOf(node, reference));
  }

  /** A reference to a definition of the lowered document, made when it is first asked for. */
  refer(target: JsonObject, pointer: string): Lowered {
    if (target === this.root) return { schema: { $ref: "#" }, codec: this.#rootCodec };
    const known = this.#definitions.get(target);
    const definition = known ?? {
      name: this.#nameOf(pointer),
      codec: new ReferenceCodec(),
      lowered: undefined,
    };
    if (!known) {
      this.#definitions.set(target, definition);
      this.#targets.set(definition.name, target);
      definition.lowered = this.lower(target, { ...START, pointer });
      definition.codec.target = definition.lowered.codec;
    }
    const codec = definition.lowered?.codec === same ? same : definition.codec;
    return { schema: { $ref: `#/$defs/${definition.name}` }, codec };
  }

  /** True while a definition is being made: a reference to it is a recursion. */
  isOpen(target: JsonObject): boolean {
    return target === this.root || this.#definitions.get(target)?.lowered === undefined;
  }

  isKnown(target: JsonObject): boolean {
    return target === this.root || this.#definitions.has(target);
  }

  #nameOf(pointer: string): string {
    const base =
      (pointer.split("/").at(-1) ?? "").replaceAll(/[^A-Za-z0-9_]/gu, "_").slice(0, 40) || "definition";
    let name = base;
    for (let count = 2; this.#targets.has(name); count += 1) name = `${base}_${count}`;
    return name;
  }

  #targetOf({ $ref: reference }: JsonObject): JsonObject | undefined {
    if (reference === "#") return this.root;
    return typeof reference === "string" ? this.#targets.get(reference.slice("#/$defs/".length)) : undefined;
  }

  #spelled(schema: JsonObject): JsonSchema {
    if (this.dialect.nulls !== "nullable") return schema;
    const known = this.#spelledOut.get(schema) ?? spellOutNullable(schema);
    this.#spelledOut.set(schema, known);
    return known;
  }

  readonly count = (schema: JsonObject, written: JsonValue): number => {
    const judges = (this.#judges ??= new SchemaJudges(this.#document, { draft: "2020-12", schemas: {} }));
    const issues: SchemaIssue[] = [];
    try {
      judges.of(this.#spelled(schema))(written, "", startFrame(written, issues));
      return issues.length;
    } catch {
      return Infinity;
    }
  };
}

const START: Omit<Place, "pointer"> = { optional: false, inlined: [], merges: 0 };

/** Puts the author's words first; a lowering only appends. */
function describe(
  { schema, codec }: Lowered,
  { title, description }: JsonObject,
  texts: readonly string[],
): Lowered {
  const own = typeof description === "string" ? description : "";
  const inherited =
    typeof schema["description"] === "string" && schema["description"] !== own ? schema["description"] : "";
  const appended = [inherited, texts.length > 0 ? `(${texts.join("; ")})` : ""]
    .filter((text) => text !== "")
    .join(" ");
  const text = [own, appended].filter((part) => part !== "").join(own.includes("\n") ? "\n" : " ");
  const isReference = schema["$ref"] !== undefined;
  const said = { ...(typeof title === "string" && { title }), ...(text !== "" && { description: text }) };
  if (Object.keys(said).length === 0) return { schema, codec };
  if (isReference) return { schema: { ...said, anyOf: [schema] }, codec };
  return { schema: { ...schema, ...said }, codec };
}
