import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type StandardResult,
  type StandardSchema,
} from "@basis/core";
import { refusal } from "./check-schema.ts";
import { contentText } from "./content-text.ts";
import { defineOutput, type DefinitionOptions, type OutputSpec } from "./output-spec.ts";
import { assertSpec } from "./reserve-output.ts";
import { localPointer } from "./schema-references.ts";
import { mapSchema, setOwn, walkSchema } from "./schema-walk.ts";

/** The answers a run may give, by the name of their kind. */
export type OutputVariants = Readonly<Record<string, OutputSpec<unknown>>>;

/** One of several answers, told apart by `kind`. */
export type UnionValue<Variants extends OutputVariants> = {
  readonly [Kind in keyof Variants & string]: {
    readonly kind: Kind;
    readonly value: Variants[Kind] extends OutputSpec<infer Value> ? Value : never;
  };
}[keyof Variants & string];

/** What a union says beside its variants. */
export interface UnionDefinition<Variants extends OutputVariants> extends Pick<
  DefinitionOptions,
  "name" | "description" | "naming" | "validator"
> {
  /** At least two; the key is the property under which the model gives that answer. */
  readonly variants: Variants;
}

/**
 * Defines an answer that has one of several shapes, such as a result or a reason for giving up. The model answers
 * an object with exactly one member, named after the kind; its value is `{kind, value}`. The host's validator
 * sees the object as the model wrote it.
 *
 * @throws OutputError `definition_error`: fewer than two variants, or variants of different drafts.
 * @throws TypeError naming a variant that is no spec.
 */
export function unionOutput<const Variants extends OutputVariants>(
  definition: UnionDefinition<Variants>,
): OutputSpec<UnionValue<Variants>> {
  const { variants, ...options } = definition;
  const entries = Object.entries(variants ?? {});
  for (const [kind, variant] of entries) assertSpec(variant, `the variant ${kind}`);
  const drafts = new Set(entries.map(([, { draft }]) => draft));
  if (entries.length < 2) throw refusal("not_json", "", "a union has at least two variants");
  if (drafts.size > 1) {
    throw refusal("unknown_draft", "", `the variants are of different drafts: ${[...drafts].join(", ")}`);
  }
  const properties: JsonObject = {};
  for (const [kind, variant] of entries) setOwn(properties, kind, memberSchema(kind, variant));
  const jsonSchema: JsonObject = {
    type: "object",
    properties,
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  };
  const schemas = companionsOf(entries.map(([, variant]) => variant));
  const [, { draft }] = entries[0]!;
  return defineOutput<UnionValue<Variants>>({
    ...options,
    schema: decoderOf(variants) as StandardSchema<unknown, UnionValue<Variants>>,
    jsonSchema,
    schemas,
    draft,
  });
}

/** The documents that the variants refer to; one name means one document. */
function companionsOf(variants: readonly OutputSpec<unknown>[]): Readonly<Record<string, JsonSchema>> {
  const all = new Map<string, JsonSchema>();
  for (const [id, document] of variants.flatMap(({ schemas }) => Object.entries(schemas))) {
    if (contentText(all.get(id) ?? document) !== contentText(document)) {
      throw refusal("unresolved_reference", "", `the variants mean different documents by ${id}`);
    }
    all.set(id, document);
  }
  return Object.fromEntries(all);
}

/** What has a meaning in its own document only, and no place to be moved to. */
const OF_DOCUMENT = /^[$](anchor|dynamic|recursive)/;

/** The variant's schema in its place; what refers to its own root follows it there, or stays in a document of its own. */
function memberSchema(kind: string, { schema, description, draft }: OutputSpec<unknown>): JsonSchema {
  if (!isJsonObject(schema)) return schema ? { description } : schema;
  const { $schema: _draft, ...rest } = schema;
  const idKeyword = draft === "draft-04" ? "id" : "$id";
  const nodes = [...walkSchema(rest)].map(({ schema: node }) => node);
  const isFragment = ({ [idKeyword]: id }: JsonObject): boolean =>
    typeof id === "string" && id.startsWith("#");
  const isDocument = typeof rest[idKeyword] === "string" && !isFragment(rest);
  const needsDocument = nodes.some(
    (node) => isFragment(node) || Object.keys(node).some((keyword) => OF_DOCUMENT.test(keyword)),
  );
  const own = { [idKeyword]: `urn:variant:${encodeURIComponent(kind)}` };
  const placed = needsDocument ? { ...rest, ...own } : mapSchema(rest, (node) => moveReference(node, kind));
  const moved = isDocument ? rest : (placed as JsonObject);
  return moved["description"] === undefined ? { description, ...moved } : moved;
}

function moveReference(node: JsonObject, kind: string): JsonObject {
  const pointer = localPointer(node["$ref"]);
  if (pointer === undefined) return node;
  const place = `/properties/${kind.replaceAll("~", "~0").replaceAll("/", "~1")}${pointer}`;
  return { ...node, $ref: `#${place.split("/").map(encodeURIComponent).join("/")}` };
}

function decoderOf(variants: OutputVariants): StandardSchema {
  const validate = async (written: unknown): Promise<StandardResult<unknown>> => {
    const [kind, ...others] = isJsonObject(written) ? Object.keys(written) : [];
    const variant = kind !== undefined && Object.hasOwn(variants, kind) ? variants[kind] : undefined;
    if (!variant || kind === undefined || others.length > 0) {
      return { issues: [{ message: "expected exactly one member" }] };
    }
    const result = await variant.decode((written as JsonObject)[kind]!);
    if (result.issues === undefined) return { value: { kind, value: result.value } };
    return { issues: result.issues.map(({ message, path = [] }) => ({ message, path: [kind, ...path] })) };
  };
  return { "~standard": { version: 1, vendor: "basis", validate } };
}
