import { childPointer, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { equalJson } from "../interpreter/json-equality.ts";
import { mapOf } from "../interpreter/members.ts";
import { readPattern } from "../pattern.ts";
import { setOwn } from "../schema-walk.ts";
import { same, type Codec } from "./codec.ts";
import type { Lowered, LoweringHost, NodeNotes, Place } from "./lowering-host.ts";
import type { Dialect } from "./dialect.ts";
import { ObjectCodec, type Extras, type Field } from "./object-codec.ts";
import { keepRestrictions } from "./restrictions.ts";

interface ObjectParts {
  readonly node: JsonObject;
  readonly place: Place;
  readonly host: LoweringHost;
  readonly notes: NodeNotes;
}

/** Lowers an object: its properties, and its other members as the dialect can say them. */
export function lowerObject(parts: ObjectParts): Lowered {
  const { node, host, notes } = parts;
  const { dialect } = host;
  const members = lowerMembers(parts);
  const extras = lowerExtras(parts, [...members.fields.keys()]);
  const properties = { ...members.properties };
  const required = [...members.required];
  if (extras.schema && extras.style === "pairs") {
    setOwn(properties, extras.name, extras.schema);
    required.push(extras.name);
  }
  const closing = closingOf(extras, dialect);
  const schema: JsonObject = {
    ...objectSchema(properties, required, dialect),
    ...(closing !== undefined && { additionalProperties: closing }),
    ...keepRestrictions(node, "object", { dialect, notes }),
  };
  const isPlain = extras.codec === undefined && [...members.fields.values()].every(isPlainField);
  return {
    schema,
    codec: isPlain && extras.style !== "pairs" ? same : new ObjectCodec(members.fields, extras),
  };
}

/** An object with these properties, as a dialect says it; what it says of other members comes beside. */
export function objectSchema(
  properties: JsonObject,
  required: readonly string[],
  dialect: Dialect,
): JsonObject {
  const names = Object.keys(properties);
  return {
    type: "object",
    properties,
    ...(required.length > 0 || !dialect.optional ? { required } : {}),
    ...(dialect.objects === "closed" && { additionalProperties: false }),
    ...(dialect.ordering && names.length > 1 && { propertyOrdering: names }),
  };
}

function closingOf({ schema }: LoweredExtras, { objects }: Dialect): JsonSchema | undefined {
  return objects === "open" ? schema : undefined;
}

function isPlainField({ codec, nullIsAbsent, absentAs }: Field): boolean {
  return codec === same && !nullIsAbsent && absentAs !== "null";
}

function lowerMembers({ node, place, host, notes }: ObjectParts): {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  readonly fields: ReadonlyMap<string, Field>;
} {
  const named = mapOf(node["properties"]);
  const needed = new Set(Array.isArray(node["required"]) ? (node["required"] as readonly string[]) : []);
  const asked = [...needed].filter((name) => !Object.hasOwn(named, name));
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  const fields = new Map<string, Field>();
  const nullable: string[] = [];
  for (const name of [...Object.keys(named), ...asked]) {
    const schema = Object.hasOwn(named, name) ? named[name]! : otherMember(node, name);
    if (schema === false && !needed.has(name)) continue;
    const pointer = childPointer(`${place.pointer}/properties`, name);
    const lowered = host.lower(schema, { ...place, pointer, optional: !needed.has(name) });
    const field = lowerField(lowered, needed.has(name), host);
    setOwn(properties, name, field.schema);
    fields.set(name, field);
    if (needed.has(name) || !host.dialect.optional) required.push(name);
    if (field.absentAs === "null") nullable.push(name);
  }
  if (nullable.length > 0) {
    notes.change("required", `asked for, null when left out: ${nullable.join(", ").slice(0, 300)}`);
  }
  return { properties, required, fields };
}

/** The schema of a member that is asked for but not described. */
function otherMember(node: JsonObject, name: string): JsonSchema {
  const patterns = Object.entries(mapOf(node["patternProperties"]));
  const found = patterns.find(([source]) => readPattern(source)?.test(name) === true);
  return found?.[1] ?? (node["additionalProperties"] as JsonSchema | undefined) ?? true;
}

/** A property, or a tuple's place, which may have to be asked for although it may be left out. */
export function lowerField(lowered: Lowered, required: boolean, host: LoweringHost): Field & Lowered {
  if (required) return { ...lowered, absentAs: "impossible", nullIsAbsent: false };
  if (host.dialect.optional) return { ...lowered, absentAs: "omitted", nullIsAbsent: false };
  if (host.takesNull(lowered.schema)) return { ...lowered, absentAs: "null", nullIsAbsent: false };
  const { schema } = host.nullable(lowered);
  return { schema, codec: lowered.codec, absentAs: "null", nullIsAbsent: true };
}

interface LoweredExtras extends Extras {
  readonly schema: JsonObject | boolean | undefined;
  /** Undefined when nothing is written otherwise than it is. */
  readonly codec: Codec | undefined;
}

interface OtherMembers extends Lowered {
  /** The names that have this schema; undefined: all that have no other. */
  readonly source: string | undefined;
}

function lowerExtras(parts: ObjectParts, names: readonly string[]): LoweredExtras {
  const { host, notes } = parts;
  const { objects } = host.dialect;
  const others = otherMembers(parts);
  const name = freeName("entries", names);
  const isClosed = parts.node["additionalProperties"] === false;
  if (others.length === 0) {
    const style = objects === "closed" ? "closed" : "open";
    if (!isClosed && style === "closed")
      notes.drop("additionalProperties", "members without a name of their own cannot be sent");
    if (isClosed && objects === "silent") notes.drop("additionalProperties");
    return { style, name, codecOf: () => same, codec: undefined, schema: isClosed ? false : undefined };
  }
  const codecOf = (key: string): Codec =>
    others.find(({ source }) => source === undefined || matches(source, key))?.codec ?? same;
  const value = oneOfAll(others);
  const sources = others.flatMap(({ source }) => (source === undefined ? [] : [source]));
  const said = sources.length > 0 ? "patternProperties" : "additionalProperties";
  const codec = others.every((other) => other.codec === same) ? undefined : others[0]!.codec;
  if (objects === "open") {
    if (sources.length > 0)
      notes.change(said, `said as additionalProperties; names match ${sources.join(" or ")}`);
    return { style: "open", name, codecOf, codec, schema: value };
  }
  notes.change(said, `the members are written as a list of keys and values under ${name}`);
  return { style: "pairs", name, codecOf, codec: same, schema: pairsSchema(value, sources, host) };
}

function matches(source: string, key: string): boolean {
  return readPattern(source)?.test(key) === true;
}

/** The schemas of members without a name of their own, as far as the author says that there are such. */
function otherMembers({ node, place, host }: ObjectParts): readonly OtherMembers[] {
  const patterns = Object.entries(mapOf(node["patternProperties"]));
  const additional = node["additionalProperties"] as JsonSchema | undefined;
  const inside = { ...place, optional: true };
  const found: OtherMembers[] = patterns
    .filter(([, schema]) => schema !== false)
    .map(([source, schema]) => {
      const pointer = childPointer(`${place.pointer}/patternProperties`, source);
      return { ...host.lower(schema, { ...inside, pointer }), source };
    });
  const isAnyObject =
    patterns.length === 0 &&
    Object.keys(mapOf(node["properties"])).length === 0 &&
    !(Array.isArray(node["required"]) && node["required"].length > 0);
  const rest = additional ?? (isAnyObject && host.dialect.objects !== "open" ? true : undefined);
  if (rest === undefined || rest === false) return found;
  const pointer = `${place.pointer}/additionalProperties`;
  return [...found, { ...host.lower(rest, { ...inside, pointer }), source: undefined }];
}

function oneOfAll(others: readonly Lowered[]): JsonObject {
  const distinct: JsonObject[] = [];
  for (const { schema } of others)
    if (!distinct.some((known) => equalJson(known, schema))) distinct.push(schema);
  return distinct.length === 1 ? distinct[0]! : { anyOf: distinct };
}

function pairsSchema(value: JsonObject, sources: readonly string[], host: LoweringHost): JsonObject {
  const { dialect } = host;
  const closed = dialect.objects === "closed" && { additionalProperties: false };
  const allowed = sources.length === 0 ? "" : ` Keys match ${sources.join(" or ")}.`;
  const key: JsonValue = { type: "string" };
  const properties = { key, value };
  return {
    type: "array",
    description: `Further members, each with its key, no key twice.${allowed.slice(0, 200)}`,
    items: { type: "object", properties, required: ["key", "value"], ...closed },
  };
}

/** A name that no property has. */
function freeName(wanted: string, names: readonly string[]): string {
  let name = wanted;
  while (names.includes(name)) name = `${name}_`;
  return name;
}
