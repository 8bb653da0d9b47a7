import type { JsonObject, JsonSchema, JsonValue } from "@basis/core";
import { same, type Codec } from "./codec.ts";
import { ListCodec, placeName, REST, TupleCodec } from "./list-codecs.ts";
import { lowerField, objectSchema } from "./lower-object.ts";
import type { Lowered, LoweringHost, NodeNotes, Place } from "./lowering-host.ts";
import { keepRestrictions, noteMoved } from "./restrictions.ts";

interface ListParts {
  readonly node: JsonObject;
  readonly place: Place;
  readonly host: LoweringHost;
  readonly notes: NodeNotes;
}

/** Lowers a list; one with a schema for each place becomes an object where the dialect has no tuples. */
export function lowerList(parts: ListParts): Lowered {
  const { node, place, host, notes } = parts;
  const { dialect } = host;
  const first = prefixOf(node);
  if (first.length > 0 && !dialect.tuples) return lowerTuple(parts, first);
  const places = first.map((schema, index) =>
    host.lower(schema, { ...place, pointer: `${place.pointer}/prefixItems/${index}` }),
  );
  const others = lowerOthers(parts, places.length === 0);
  const mostItems =
    node["items"] === false ? Math.min(places.length, Number(node["maxItems"] ?? Infinity)) : undefined;
  const schema: JsonObject = {
    type: "array",
    ...(places.length > 0 && { prefixItems: places.map((lowered) => lowered.schema) }),
    ...(others && { items: others.schema }),
    ...keepRestrictions(node, "array", { dialect, notes }),
    ...(mostItems !== undefined && { maxItems: mostItems }),
  };
  return { schema, codec: listCodec(places, others) };
}

function listCodec(places: readonly Lowered[], others: Lowered | undefined): Codec {
  const isPlain = [...places, ...(others ? [others] : [])].every(({ codec }) => codec === same);
  if (isPlain) return same;
  return new ListCodec(
    places.map(({ codec }) => codec),
    others?.codec ?? same,
  );
}

/** The items without a place of their own; a list that says nothing of its items has any, where a type is needed. */
function lowerOthers({ node, place, host }: ListParts, isWhole: boolean): Lowered | undefined {
  const items = node["items"] as JsonSchema | undefined;
  if (items === undefined) return isWhole && !host.dialect.untyped ? host.any() : undefined;
  return items === false ? undefined : host.lower(items, { ...place, pointer: `${place.pointer}/items` });
}

function prefixOf(node: JsonObject): readonly JsonSchema[] {
  return Array.isArray(node["prefixItems"]) ? (node["prefixItems"] as readonly JsonSchema[]) : [];
}

function lowerTuple(parts: ListParts, first: readonly JsonSchema[]): Lowered {
  const { node, place, host, notes } = parts;
  const { dialect } = host;
  const least = typeof node["minItems"] === "number" ? node["minItems"] : 0;
  const fields = first.map((schema, index) => {
    const pointer = `${place.pointer}/prefixItems/${index}`;
    return lowerField(
      host.lower(schema, { ...place, pointer, optional: index >= least }),
      index < least,
      host,
    );
  });
  const rest = lowerOthers(parts, false);
  noteTuple(node, first.length, notes);
  const properties: Record<string, JsonValue> = {};
  for (const [index, { schema }] of fields.entries()) properties[placeName(index)] = schema;
  if (rest) properties[REST] = { type: "array", items: rest.schema };
  const isAsked = (name: string, index: number): boolean =>
    name === REST || index < least || !dialect.optional;
  const schema = objectSchema(properties, Object.keys(properties).filter(isAsked), dialect);
  return { schema, codec: new TupleCodec(fields, rest?.codec) };
}

function noteTuple(node: JsonObject, places: number, notes: NodeNotes): void {
  const hasRest = node["items"] !== undefined && node["items"] !== false;
  if (node["items"] === undefined && node["maxItems"] === undefined)
    notes.drop("items", "further items cannot be sent");
  notes.change("prefixItems", "the places are written as an object");
  for (const keyword of ["minItems", "maxItems", "uniqueItems"]) {
    const operand = node[keyword];
    const isFixed =
      keyword === "minItems" ? Number(operand) <= places : !hasRest && Number(operand) >= places;
    if (operand === undefined || (keyword !== "uniqueItems" && isFixed)) continue;
    noteMoved(keyword, operand, notes);
  }
}
