import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { same } from "./codec.ts";
import { lowerConstants } from "./lower-choice.ts";
import { lowerList } from "./lower-list.ts";
import { lowerObject } from "./lower-object.ts";
import { impliedKinds, joinBranches, namedKinds } from "./lower-union.ts";
import type { Lowered, NodeNotes, Place } from "./lowering-host.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { toNormalForm } from "./normal-form.ts";
import { keepRestrictions, noteMoved, RESTRICTING } from "./restrictions.ts";
import { localPointer } from "../schema-references.ts";
import type { SchemaLowering } from "./schema-lowering.ts";

/** Most merges on the way to one place. */
const MAX_MERGES = 24;

interface NodeParts {
  readonly node: JsonObject;
  readonly place: Place;
  readonly host: SchemaLowering;
  readonly notes: NodeNotes;
}

/** Lowers one schema: its references, then what it combines, then its choices, then each of its types. */
export function lowerNode(parts: NodeParts): Lowered {
  const { node, host, notes } = parts;
  const reference = node["$ref"] ?? node["$dynamicRef"] ?? node["$recursiveRef"];
  if (typeof reference === "string") return lowerReference(parts, reference);
  const said = toNormalForm(node);
  if (Array.isArray(said["allOf"])) return lowerAll({ ...parts, node: said });
  const keyword = Array.isArray(said["oneOf"]) ? "oneOf" : "anyOf";
  if (Array.isArray(said[keyword])) return lowerUnion({ ...parts, node: said }, keyword);
  noteLeftovers(said, notes);
  // A tool's input is an object: a choice among whole answers is left to the check.
  const isRoot = parts.place.pointer === "";
  for (const keyword of isRoot ? ["const", "enum"] : []) {
    if (said[keyword] !== undefined) notes.drop(keyword, "the values are not shown");
  }
  const choice = isRoot ? undefined : lowerConstants(said, host, notes);
  if (choice) return choice;
  return lowerKinds({ ...parts, node: said });
}

function lowerKinds(parts: NodeParts): Lowered {
  const { node, host, notes } = parts;
  const named = namedKinds(node);
  const kinds = named.length > 0 ? named : impliedKinds(node);
  if (kinds.length === 0) return host.any();
  if (named.length === 0) notes.change("type", `taken for ${kinds.join(" or ")}`);
  return joinBranches(
    kinds.map((kind) => lowerKind(parts, kind)),
    host,
  );
}

function lowerKind(parts: NodeParts, kind: string): Lowered {
  switch (kind) {
    case "object":
      return lowerObject(parts);
    case "array":
      return lowerList(parts);
    case "string":
    case "number":
    case "integer": {
      const { node, host, notes } = parts;
      const kept = keepRestrictions(node, kind, { dialect: host.dialect, notes });
      return { schema: { type: kind, ...kept }, codec: same };
    }
    default:
      return { schema: { type: kind }, codec: same };
  }
}

const HANDLED = new Set(
  (
    "type nullable properties required additionalProperties patternProperties items prefixItems additionalItems " +
    "enum const anyOf oneOf allOf $ref $dynamicRef $recursiveRef title description $defs definitions $schema $id id " +
    "$anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment then else"
  ).split(" "),
);

function noteLeftovers(node: JsonObject, notes: NodeNotes): void {
  for (const [keyword, operand] of Object.entries(node)) {
    if (HANDLED.has(keyword) || RESTRICTING.has(keyword) || isAnyName(keyword, operand)) continue;
    noteMoved(keyword, operand, notes);
  }
}

/** Names are texts: to say so says nothing. */
function isAnyName(keyword: string, operand: JsonValue): boolean {
  if (keyword !== "propertyNames") return false;
  return (
    operand === true ||
    (isJsonObject(operand) && operand["type"] === "string" && Object.keys(operand).length === 1)
  );
}

/** What two schemas say together; what cannot be said as one is left to the check of the answer. */
function lowerAll({ node, place, host, notes }: NodeParts): Lowered {
  const { allOf, ...rest } = node;
  let merged: JsonObject = rest;
  let at: Place = { ...place, merges: place.merges + 1 };
  for (const member of allOf as readonly JsonSchema[]) {
    const [resolved, inlined] = resolve(member, at, host);
    if (resolved === true) continue;
    const both = resolved && at.merges < MAX_MERGES ? mergeSchemas(merged, resolved) : undefined;
    if (!both) notes.drop("allOf", "an alternative could not be merged");
    else {
      merged = both.schema;
      for (const keyword of both.lost) notes.drop(keyword, "only one of several could be kept");
      at = { ...at, inlined };
    }
  }
  return lowerNode({ node: merged, place: at, host, notes });
}

/** A schema with its references followed; undefined where that has no end, or nothing to merge. */
function resolve(
  schema: JsonSchema,
  place: Place,
  host: SchemaLowering,
): readonly [JsonObject | true | undefined, readonly JsonObject[]] {
  if (!isJsonObject(schema)) return [schema ? true : undefined, place.inlined];
  const reference = schema["$ref"];
  if (typeof reference !== "string") return [toNormalForm(schema), place.inlined];
  const target = host.find(schema, reference);
  if (target === true) return [true, place.inlined];
  if (!isJsonObject(target) || place.inlined.includes(target)) return [undefined, place.inlined];
  const inside = { ...place, inlined: [...place.inlined, target] };
  const [inner, inlined] = resolve(target, inside, host);
  const { $ref: _reference, ...siblings } = schema;
  if (!isJsonObject(inner) || Object.keys(siblings).length === 0) return [inner, inlined];
  return [mergeSchemas(siblings, inner)?.schema, inlined];
}

/** Lowers a choice among schemas; what stands beside it becomes part of each. */
function lowerUnion(parts: NodeParts, keyword: "anyOf" | "oneOf"): Lowered {
  const { node, place, host, notes } = parts;
  const { [keyword]: union, title: _title, description: _description, ...rest } = node;
  const branches = union as readonly JsonSchema[];
  const beside = Object.keys(rest).filter(
    (name) => !["$defs", "$schema", "$id", "id", "$comment", "$anchor"].includes(name),
  );
  // A tool's input is an object: its alternatives are left to the check of the answer.
  const isRoot = place.pointer === "";
  const inner = isRoot ? undefined : branchesOf({ parts, rest, isAlone: beside.length === 0 }, branches);
  if (!inner) {
    notes.drop(keyword, "the alternatives are not told apart");
    return lowerNode({ ...parts, node: rest });
  }
  if (keyword === "oneOf") notes.change("oneOf", "said as anyOf");
  const lowered = inner
    .filter(([schema]) => schema !== false)
    .map(([schema, inlined], index) =>
      host.lower(schema, {
        ...place,
        inlined,
        merges: place.merges + 1,
        pointer: `${place.pointer}/${keyword}/${index}`,
      }),
    );
  return lowered.length === 0 ? host.any() : joinBranches(lowered, host);
}

type Branch = readonly [JsonSchema, readonly JsonObject[]];

function branchesOf(
  {
    parts,
    rest,
    isAlone,
  }: { readonly parts: NodeParts; readonly rest: JsonObject; readonly isAlone: boolean },
  branches: readonly JsonSchema[],
): readonly Branch[] | undefined {
  const { place, host } = parts;
  if (isAlone) return branches.map((branch) => [branch, place.inlined]);
  if (place.merges >= MAX_MERGES || branches.length > 32) return undefined;
  const merged = branches.map((branch): Branch | undefined => {
    const [resolved, inlined] = resolve(branch, place, host);
    if (resolved === true) return [rest, inlined];
    const both = resolved && mergeSchemas(rest, resolved);
    return both && both.lost.length === 0 ? [both.schema, inlined] : undefined;
  });
  return merged.every((branch) => branch !== undefined) ? merged : undefined;
}

function lowerReference(parts: NodeParts, reference: string): Lowered {
  const { node, place, host, notes } = parts;
  const keyword = ["$ref", "$dynamicRef", "$recursiveRef"].find((name) => node[name] === reference)!;
  const target = followReferences(host.find(node, reference), host);
  const { [keyword]: _reference, allOf = [], ...siblings } = node;
  const says =
    Object.keys(siblings).some((name) => !ANNOTATIONS.has(name)) ||
    (allOf as readonly JsonSchema[]).length > 0;
  const beside = says && !host.ignoresSiblings;
  if (target === undefined) notes.drop(keyword, "references that go round say nothing");
  if (!isJsonObject(target))
    return beside && target !== false
      ? lowerAll({ ...parts, node: { ...siblings, allOf } })
      : host.lower(target ?? true, place);
  if (beside) {
    const $ref = host.index.targetOf(node, reference);
    return lowerAll({
      ...parts,
      node: { ...siblings, allOf: [...(allOf as readonly JsonSchema[]), { $ref }] },
    });
  }
  return host.dialect.references === "kept"
    ? keep(parts, target, reference)
    : inline({ node, place, host, notes }, target);
}

/** The first schema that is more than a reference; undefined where references go round. */
function followReferences(schema: JsonSchema | undefined, host: SchemaLowering): JsonSchema | undefined {
  let at = schema;
  for (let steps = 0; steps < 32; steps += 1) {
    const isReference = isJsonObject(at) && typeof at["$ref"] === "string" && Object.keys(at).length === 1;
    if (!isReference) return at;
    at = host.find(at as JsonObject, (at as JsonObject)["$ref"] as string);
  }
  return undefined;
}

const ANNOTATIONS = new Set("title description $comment $defs definitions $schema $id id $anchor".split(" "));

function keep({ place, host, notes }: NodeParts, target: JsonObject, reference: string): Lowered {
  if (
    host.dialect.recursion === "optional" &&
    !place.optional &&
    host.isKnown(target) &&
    host.isOpen(target)
  ) {
    const message = "a schema contains itself in a property that is required";
    host.unsupported.push({ pointer: place.pointer, message });
    notes.drop("$ref", message);
  }
  return host.refer(target, localPointer(reference) ?? reference);
}

function inline({ place, host, notes }: NodeParts, target: JsonObject): Lowered {
  if (place.inlined.includes(target) || target === host.root) {
    notes.change("$ref", "a schema that contains itself is written as JSON text");
    return host.any();
  }
  return host.lower(target, { ...place, inlined: [...place.inlined, target] });
}
