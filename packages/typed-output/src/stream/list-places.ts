import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { outputError } from "../output-error.ts";
import type { OutputSpec } from "../output-spec.ts";
import { readPattern } from "../pattern.ts";
import { followLocal } from "../schema-references.ts";

/** Most schemas looked at for one step of a path, and most levels of them: what refers to itself ends here. */
const MAX_PLACES = 500;
const MAX_LEVELS = 16;

/** A schema that says something of the value at a place. */
interface Place {
  readonly schema: JsonValue;
  /** False behind `anyOf` and its kind, where the value may be held to another branch, and behind what is not here. */
  readonly certain: boolean;
}

/**
 * The schemas that hold in any case for the list at a pointer into the answer.
 *
 * @throws OutputError `definition_error` when the schema names no such place, or what it names cannot be a list.
 */
export function listPlaces(spec: OutputSpec<unknown>, pointer: string): readonly JsonObject[] {
  const reading = new PlaceReading(spec);
  const places = reading.at(pointer);
  const fitting = places.filter(({ schema }) => reading.mayBeList(schema));
  if (fitting.length === 0 || places.some((place) => place.certain && !fitting.includes(place))) {
    const why = places.length === 0 ? "the schema names no such place" : "what stands there is no list";
    const message = `elements ${JSON.stringify(pointer)} leads to no list of the output's schema: ${why}`;
    throw outputError("definition_error", message, { details: { reason: "bad_elements", pointer: "" } });
  }
  return places.flatMap(({ schema, certain }) => (certain && isJsonObject(schema) ? [schema] : []));
}

/** What the schema of a list says of one of its elements. */
export function elementSchema(list: JsonObject, index: number): JsonSchema {
  const { items, prefixItems, additionalItems } = list;
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  return ((places as readonly JsonSchema[])[index] ?? rest ?? true) as JsonSchema;
}

class PlaceReading {
  readonly #root: JsonSchema;
  readonly #ignoresSiblings: boolean;

  constructor({ schema, draft }: OutputSpec<unknown>) {
    this.#root = schema;
    this.#ignoresSiblings = draft === "draft-04" || draft === "draft-07";
  }

  at(pointer: string): readonly Place[] {
    let places = this.#spread([{ schema: this.#root, certain: true }]);
    for (const token of pointer.split("/").slice(1)) {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      places = this.#spread(places.flatMap((place) => membersAt(place, name)));
    }
    return places;
  }

  mayBeList(schema: JsonValue, level = 0): boolean {
    if (!isJsonObject(schema) || level > MAX_LEVELS) return schema !== false;
    const parts = this.#partsOf({ schema, certain: true });
    if (parts.some((part) => part.certain && !this.mayBeList(part.schema, level + 1))) return false;
    if (this.#isReferenceAlone(schema)) return true;
    const branches = [schema["anyOf"], schema["oneOf"]].filter((list) => Array.isArray(list));
    const open = branches.every((list) =>
      list.some((branch: JsonValue) => this.mayBeList(branch, level + 1)),
    );
    return open && acceptsList(schema);
  }

  /** The places, with everything that they refer to and are made of. */
  #spread(places: readonly Place[]): readonly Place[] {
    const found = new Map<JsonValue, Place>();
    const waiting = [...places];
    for (let next = waiting.pop(); next && found.size < MAX_PLACES; next = waiting.pop()) {
      const known = found.get(next.schema);
      if (known && (known.certain || !next.certain)) continue;
      if (!isJsonObject(next.schema) || !this.#isReferenceAlone(next.schema)) found.set(next.schema, next);
      waiting.push(...this.#partsOf(next));
    }
    return [...found.values()];
  }

  #partsOf({ schema, certain }: Place): readonly Place[] {
    if (!isJsonObject(schema)) return [];
    const parts: Place[] = [];
    if (refers(schema)) {
      const target = followLocal(this.#root, schema);
      const isHere = target !== schema && !(isJsonObject(target) && refers(target));
      parts.push(isHere ? { schema: target, certain } : { schema: true, certain: false });
      if (this.#ignoresSiblings) return parts;
    }
    const add = (keyword: string, sure: boolean): void => {
      const held = schema[keyword];
      if (held === undefined) return;
      for (const part of Array.isArray(held) ? held : [held]) parts.push({ schema: part, certain: sure });
    };
    add("allOf", certain);
    for (const keyword of ["anyOf", "oneOf", "then", "else"]) add(keyword, false);
    return parts;
  }

  /** In older drafts what stands beside a reference means nothing. */
  #isReferenceAlone(schema: JsonObject): boolean {
    return refers(schema) && (this.#ignoresSiblings || Object.keys(schema).length === 1);
  }
}

function refers(schema: JsonObject): boolean {
  return ["$ref", "$dynamicRef", "$recursiveRef"].some((keyword) => typeof schema[keyword] === "string");
}

/** What a place says of its member, or its element, of that name. */
function membersAt({ schema, certain }: Place, name: string): readonly Place[] {
  if (schema === true && !certain) return [{ schema: true, certain: false }];
  if (!isJsonObject(schema)) return [];
  const found = propertiesAt(schema, name);
  if (found.length === 0 && /^(0|[1-9]\d{0,8})$/.test(name) && mentionsElements(schema)) {
    found.push(elementSchema(schema, Number(name)));
  }
  return found.map((part) => ({ schema: part, certain }));
}

function propertiesAt(schema: JsonObject, name: string): JsonValue[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const found: JsonValue[] = [];
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) found.push(properties[name]!);
  if (isJsonObject(patternProperties)) {
    for (const [source, part] of Object.entries(patternProperties)) {
      if (readPattern(source)?.test(name) === true) found.push(part);
    }
  }
  if (found.length === 0 && isJsonObject(additionalProperties)) found.push(additionalProperties);
  return found;
}

function mentionsElements({ items, prefixItems }: JsonObject): boolean {
  return items !== undefined || prefixItems !== undefined;
}

/** By what a schema says itself: its type, its choices. */
function acceptsList({ type, enum: choices, const: only }: JsonObject): boolean {
  const isList = (value: JsonValue): boolean => Array.isArray(value);
  if (type !== undefined && ![type].flat().includes("array")) return false;
  if (Array.isArray(choices) && !choices.some(isList)) return false;
  return only === undefined || isList(only);
}
