import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import type { CompileOptions, SchemaDraft } from "./schema-validator.ts";
import { contentText } from "./content-text.ts";
import { atPointer, walkSchema, type SchemaNode } from "./schema-walk.ts";

const ROOT = "schema://root/";
/** What the drafts' own meta-schemas are called. */
export const META_SCHEMA: RegExp = /^https?:\/\/json-schema\.org\/draft(-0[4-7]|\/20(19-09|20-12))\//;

/** A reference, with the absolute URI it means. */
export interface SchemaReference {
  readonly pointer: string;
  readonly keyword: string;
  readonly target: string;
}

/** The schemas that a document and its companions offer to references. */
export class ReferenceIndex {
  readonly #resources = new Map<string, JsonSchema>();
  readonly #anchors = new Map<string, JsonSchema>();
  /** Anchors that may be overridden by one of the same name in a document that was entered before. */
  readonly #dynamic = new Map<string, JsonObject>();
  readonly #bases = new Map<JsonObject, string>();
  /** Of the document itself, in its order; those of a companion follow once it is resolved to, their places after its id. */
  readonly references: SchemaReference[] = [];
  /** Schemas that a reference leads to and no keyword does. */
  readonly parts: SchemaNode[] = [];
  /** The references of companions that nothing was resolved to yet, by each name of theirs. */
  readonly #waiting = new Map<string, SchemaReference[]>();
  /** The names of resources, in the order in which they were found. */
  readonly #named: string[] = [];
  /** Names that different schemas of the document bear. */
  readonly #ambiguous = new Set<string>();
  readonly #draft: SchemaDraft;

  constructor(schema: JsonSchema, { draft, schemas }: CompileOptions) {
    this.#draft = draft;
    this.#add(schema, ROOT, this.references);
    for (const [id, document] of Object.entries(schemas)) {
      const own: SchemaReference[] = [];
      const before = this.#named.length;
      this.#add(document, id, own);
      const placed = own.map((reference) => ({ ...reference, pointer: `${id}#${reference.pointer}` }));
      for (const base of this.#named.slice(before)) this.#waiting.set(base, placed);
    }
  }

  /** `found`, `missing` (no such place in a known document), `ambiguous`, or `remote` (an unknown document). */
  resolve(target: string): "found" | "missing" | "ambiguous" | "remote" {
    const base = target.replace(/#[^]*$/, "");
    if (this.#ambiguous.has(base) || this.#ambiguous.has(target)) return "ambiguous";
    const known = this.#resources.has(base);
    this.references.push(...(this.#waiting.get(base)?.splice(0) ?? []));
    if (!known) return META_SCHEMA.test(target) ? "found" : "remote";
    return this.find(target) === undefined ? "missing" : "found";
  }

  /** The schema at an absolute URI; undefined where there is none. */
  find(target: string): JsonSchema | undefined {
    const hash = target.indexOf("#");
    const base = hash < 0 ? target : target.slice(0, hash);
    const fragment = hash < 0 ? "" : decode(target.slice(hash + 1));
    const resource = this.#resources.get(base);
    if (resource === undefined || fragment === "") return resource;
    if (!fragment.startsWith("/")) return this.#anchors.get(`${base}#${fragment}`);
    const found = atPointer(resource, fragment);
    if (isJsonObject(found) && !this.#bases.has(found)) {
      this.#add(found, base, [], true);
      const place = base === ROOT ? fragment : `${base}#${fragment}`;
      this.parts.push(...walkSchema(found, place));
    }
    return typeof found === "boolean" || isJsonObject(found) ? found : undefined;
  }

  /** The dynamic anchor of that name in the resource of that URI. */
  findDynamic(base: string, name: string): JsonObject | undefined {
    return this.#dynamic.get(`${base}#${name}`);
  }

  /** The URI of the resource in which a schema stands. */
  baseOf(schema: JsonObject): string {
    return this.#bases.get(schema) ?? ROOT;
  }

  /** The absolute URI that a reference in a schema means. */
  targetOf(schema: JsonObject, reference: string): string {
    return against(reference, this.baseOf(schema));
  }

  /** Notes what a document, or a part of one that no keyword leads to, offers and asks for. */
  #add(
    document: JsonSchema,
    uri: string,
    ...[references, part = false]: [SchemaReference[], boolean?]
  ): void {
    const bases = new Map<string, string>();
    if (!part) {
      this.#resources.set(uri.replace(/#$/, ""), document);
      this.#named.push(uri.replace(/#$/, ""));
    }
    for (const { schema, pointer } of walkSchema(document)) {
      const outer = baseAbove(bases, pointer) ?? uri;
      const id = this.#idOf(schema);
      const base = typeof id === "string" ? this.#identify(schema, id, outer) : outer;
      bases.set(pointer, base);
      this.#bases.set(schema, base);
      this.#anchor(schema, base);
      for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
        const reference = schema[keyword];
        if (typeof reference === "string") {
          references.push({ pointer, keyword, target: against(reference, base) });
        }
      }
    }
  }

  #anchor(schema: JsonObject, base: string): void {
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = schema[keyword];
      if (typeof name !== "string") continue;
      this.#name(this.#anchors, `${base}#${name}`, schema);
      if (keyword === "$dynamicAnchor") this.#dynamic.set(`${base}#${name}`, schema);
    }
  }

  /** Up to draft 07 a reference's siblings, an id among them, mean nothing. */
  #idOf(schema: JsonObject): JsonValue | undefined {
    const old = this.#draft === "draft-04" || this.#draft === "draft-07";
    if (old && Object.hasOwn(schema, "$ref")) return undefined;
    return schema[this.#draft === "draft-04" ? "id" : "$id"];
  }

  /** Notes what an id names and answers the base URI inside it. */
  #identify(schema: JsonObject, id: string, outer: string): string {
    const absolute = against(id, outer);
    const hash = absolute.indexOf("#");
    if (hash >= 0 && hash < absolute.length - 1) {
      this.#name(this.#anchors, absolute, schema);
      if (id.startsWith("#")) return outer;
    }
    const base = hash < 0 ? absolute : absolute.slice(0, hash);
    this.#name(this.#resources, base, schema);
    this.#named.push(base);
    return base;
  }

  #name(names: Map<string, JsonSchema>, name: string, schema: JsonObject): void {
    const before = names.get(name);
    if (isJsonObject(before) && before !== schema && contentText(before) !== contentText(schema)) {
      this.#ambiguous.add(name);
    }
    names.set(name, schema);
  }
}

/** The base URI of the nearest schema above a pointer. */
function baseAbove(bases: ReadonlyMap<string, string>, pointer: string): string | undefined {
  for (let at = pointer.lastIndexOf("/"); at >= 0; at = pointer.lastIndexOf("/", at - 1)) {
    const base = bases.get(pointer.slice(0, at));
    if (base !== undefined) return base;
  }
  return undefined;
}

function against(reference: string, base: string): string {
  if (reference.startsWith("#")) return `${base.replace(/#.*$/, "")}${reference}`;
  try {
    return new URL(reference, base).href;
  } catch {
    return reference;
  }
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** The local pointer of a `#…` reference; undefined for anything else. */
export function localPointer(reference: JsonValue | undefined): string | undefined {
  if (typeof reference !== "string" || (reference !== "#" && !reference.startsWith("#/"))) return undefined;
  return decode(reference.slice(1));
}

/** Follows local references from a schema to the first one that is no mere reference; cycles end. */
export function followLocal(root: JsonSchema, schema: JsonValue): JsonValue {
  let at: JsonValue = schema;
  for (let steps = 0; steps < 32 && isJsonObject(at) && Object.hasOwn(at, "$ref"); steps += 1) {
    const pointer = localPointer(at["$ref"]);
    const target = pointer === undefined ? undefined : atPointer(root, pointer);
    if (target === undefined) break;
    at = target;
  }
  return at;
}

/** What a schema refers to, as written. */
export function referencesOf(node: JsonObject): readonly string[] {
  return ["$ref", "$dynamicRef", "$recursiveRef"].flatMap((keyword) => {
    const reference = node[keyword];
    return typeof reference === "string" ? [reference] : [];
  });
}
