import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import type { CompileOptions, SchemaDraft } from "./schema-validator.ts";
import { atPointer, walkSchema } from "./schema-walk.ts";

const ROOT = "schema://root/";
const META_SCHEMA = /^https?:\/\/json-schema\.org\/draft(-0[4-7]|\/20(19-09|20-12))\//;

/** A reference, with the absolute URI it means. */
export interface SchemaReference {
  readonly pointer: string;
  readonly keyword: string;
  readonly target: string;
}

/** The schemas that a document and its companions offer to references. */
export class ReferenceIndex {
  readonly #resources = new Map<string, JsonValue>();
  readonly #anchors = new Set<string>();
  readonly references: SchemaReference[] = [];

  readonly #draft: SchemaDraft;

  constructor(schema: JsonSchema, { draft, schemas }: CompileOptions) {
    this.#draft = draft;
    this.#add(schema, ROOT, this.references);
    for (const [id, document] of Object.entries(schemas)) this.#add(document, id, []);
  }

  /** `found`, `missing` (a place that does not exist in a known document), or `remote` (an unknown document). */
  resolve(target: string): "found" | "missing" | "remote" {
    const hash = target.indexOf("#");
    const base = hash < 0 ? target : target.slice(0, hash);
    const fragment = hash < 0 ? "" : decode(target.slice(hash + 1));
    const resource = this.#resources.get(base);
    if (resource === undefined) return META_SCHEMA.test(target) ? "found" : "remote";
    if (fragment === "") return "found";
    if (!fragment.startsWith("/")) return this.#anchors.has(`${base}#${fragment}`) ? "found" : "missing";
    return atPointer(resource, fragment) === undefined ? "missing" : "found";
  }

  #add(document: JsonSchema, uri: string, references: SchemaReference[]): void {
    const bases = new Map<string, string>();
    this.#resources.set(uri.replace(/#$/, ""), document);
    for (const { schema, pointer } of walkSchema(document)) {
      const outer = baseOf(bases, pointer) ?? uri;
      const id = this.#idOf(schema);
      const base = typeof id === "string" ? this.#identify(schema, id, outer) : outer;
      bases.set(pointer, base);
      for (const keyword of ["$anchor", "$dynamicAnchor"]) {
        if (typeof schema[keyword] === "string") this.#anchors.add(`${base}#${schema[keyword]}`);
      }
      for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
        const reference = schema[keyword];
        if (typeof reference === "string") {
          references.push({ pointer, keyword, target: against(reference, base) });
        }
      }
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
      this.#anchors.add(absolute);
      if (id.startsWith("#")) return outer;
    }
    const base = hash < 0 ? absolute : absolute.slice(0, hash);
    this.#resources.set(base, schema);
    return base;
  }
}

/** The base URI of the nearest schema above a pointer. */
function baseOf(bases: ReadonlyMap<string, string>, pointer: string): string | undefined {
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
