import type { JsonObject, JsonValue } from "@basis/core";

/** A schema with a maker of instances that fit it. */
export interface SchemaCase {
  readonly schema: JsonObject;
  readonly takesNull: boolean;
  instance(): JsonValue;
}

/** Makes schemas of every kind, and instances of them, from one source of random numbers. */
export class SchemaMaker {
  readonly #random: () => number;
  readonly #definitions: Record<string, JsonObject> = {};

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A document whose root is an object. */
  document(): SchemaCase {
    const tree = this.#tree();
    const body = this.#object(3, { tree });
    return { ...body, schema: { ...body.schema, $defs: this.#definitions } };
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#int(list.length)]!;
  }

  #any(depth: number): SchemaCase {
    const leaves = [
      () => this.#string(),
      () => this.#number(),
      () => this.#choice(),
      () => this.#nullable(),
      () => this.#free(),
    ];
    const branches = [
      () => this.#object(depth - 1),
      () => this.#list(depth - 1),
      () => this.#tuple(depth - 1),
      () => this.#map(depth - 1),
      () => this.#tagged(depth - 1),
      () => this.#kinds(depth - 1),
      () => this.#merged(depth - 1),
      () => this.#referred(depth - 1),
    ];
    return this.#pick(depth <= 0 ? leaves : [...leaves, ...branches, ...branches])();
  }

  #string(): SchemaCase {
    const least = this.#int(3);
    const limits = this.#pick<JsonObject>([
      {},
      { minLength: least },
      { maxLength: 12 },
      { pattern: "^[a-z]*$" },
    ]);
    const text = (): string =>
      Array.from({ length: least + this.#int(6) }, () => this.#pick(["a", "b", "x", "y"])).join("");
    return { schema: { type: "string", ...limits }, takesNull: false, instance: text };
  }

  #number(): SchemaCase {
    const type = this.#pick(["integer", "number"]);
    const limits = this.#pick<JsonObject>([
      {},
      { minimum: 0, maximum: 100 },
      { exclusiveMinimum: -1, exclusiveMaximum: 101 },
      { multipleOf: 1 },
    ]);
    return { schema: { type, ...limits }, takesNull: false, instance: () => this.#int(101) };
  }

  #choice(): SchemaCase {
    const values = this.#pick<readonly JsonValue[]>([
      ["red", "green"],
      ["only"],
      [1, 2, 3],
      [true],
      ["a", 1, null],
      [null],
      [{ x: 1 }, [1, "b"], "c"],
    ]);
    const schema: JsonObject =
      values.length === 1 && this.#int(2) === 0 ? { const: values[0]! } : { enum: values };
    return { schema, takesNull: values.includes(null), instance: () => this.#pick(values) };
  }

  #nullable(): SchemaCase {
    const instance = (): JsonValue => (this.#int(3) === 0 ? null : "text");
    const schema = this.#pick<JsonObject>([
      { type: ["string", "null"] },
      { anyOf: [{ type: "string" }, { type: "null" }] },
      { type: "string", nullable: true },
    ]);
    return { schema, takesNull: true, instance };
  }

  #free(): SchemaCase {
    const values: readonly JsonValue[] = ["x", 1.5, true, [1, { a: null }], { b: [] }, '"quoted"', null];
    return {
      schema: this.#pick<JsonObject>([{}, { description: "Anything." }]),
      takesNull: true,
      instance: () => this.#pick(values),
    };
  }

  #object(depth: number, more: Readonly<Record<string, SchemaCase>> = {}): SchemaCase {
    const names = ["alpha", "beta", "constructor", "a/b"].slice(0, 1 + this.#int(4));
    const members = new Map([
      ...names.map((name) => [name, this.#any(depth)] as const),
      ...Object.entries(more),
    ]);
    const required = [...members.keys()].filter(() => this.#int(2) === 0);
    const closing = this.#pick<"open" | "closed" | "map">(["open", "closed", "map"]);
    const extra = closing === "map" ? this.#any(depth - 1) : undefined;
    const additional =
      closing === "closed"
        ? { additionalProperties: false }
        : extra
          ? { additionalProperties: extra.schema }
          : {};
    const properties = Object.fromEntries([...members].map(([name, { schema }]) => [name, schema]));
    const schema: JsonObject = {
      type: "object",
      properties,
      ...(required.length > 0 && { required }),
      ...additional,
    };
    const instance = (): JsonValue => {
      const present = [...members].filter(
        ([name, { takesNull }]) => required.includes(name) || takesNull || this.#int(2) === 0,
      );
      const extras = extra
        ? Array.from({ length: this.#int(3) }, (_, index) => [`more ${index}`, extra.instance()] as const)
        : [];
      return Object.fromEntries([
        ...present.map(([name, made]) => [name, made.instance()] as const),
        ...extras,
      ]);
    };
    return { schema, takesNull: false, instance };
  }

  #list(depth: number): SchemaCase {
    const item = this.#any(depth);
    const bounds = this.#pick<JsonObject>([{}, { minItems: 1 }, { minItems: 2, maxItems: 5 }]);
    const instance = (): JsonValue => Array.from({ length: 2 + this.#int(3) }, () => item.instance());
    return { schema: { type: "array", items: item.schema, ...bounds }, takesNull: false, instance };
  }

  #tuple(depth: number): SchemaCase {
    const places = [this.#any(depth), this.#any(depth)];
    const rest = this.#int(2) === 0 ? this.#any(depth - 1) : undefined;
    const least = places.some(({ takesNull }) => takesNull) ? 2 : this.#int(3);
    const items = rest ? { items: rest.schema } : { items: false };
    const schema: JsonObject = {
      type: "array",
      prefixItems: places.map((place) => place.schema),
      ...items,
      minItems: least,
    };
    const instance = (): JsonValue => {
      const length = least + this.#int(3 - least);
      const first = places.slice(0, length).map((place) => place.instance());
      return rest && length === 2
        ? [...first, ...Array.from({ length: this.#int(3) }, () => rest.instance())]
        : first;
    };
    return { schema, takesNull: false, instance };
  }

  #map(depth: number): SchemaCase {
    const value = this.#any(depth);
    const schema = this.#pick<JsonObject>([
      { type: "object", additionalProperties: value.schema },
      { type: "object", patternProperties: { "^k": value.schema }, additionalProperties: false },
    ]);
    const key = (index: number): string => this.#pick(["k", "key ", "k/~"]) + index;
    const instance = (): JsonValue =>
      Object.fromEntries(Array.from({ length: this.#int(4) }, (_, index) => [key(index), value.instance()]));
    return { schema, takesNull: false, instance };
  }

  #tagged(depth: number): SchemaCase {
    const kinds = ["circle", "square"];
    const bodies = kinds.map((kind) => {
      const { schema, instance } = this.#object(depth);
      const properties = { kind: { const: kind }, ...(schema["properties"] as JsonObject) };
      const required = ["kind", ...((schema["required"] as readonly string[] | undefined) ?? [])];
      return {
        schema: { ...schema, properties, required },
        make: () => ({ ...(instance() as JsonObject), kind }),
      };
    });
    const keyword = this.#pick(["oneOf", "anyOf"]);
    return {
      schema: { [keyword]: bodies.map(({ schema }) => schema) },
      takesNull: false,
      instance: () => this.#pick(bodies).make(),
    };
  }

  #kinds(depth: number): SchemaCase {
    const branches = [this.#string(), this.#list(depth), this.#number()];
    return {
      schema: { anyOf: branches.map(({ schema }) => schema) },
      takesNull: false,
      instance: () => this.#pick(branches).instance(),
    };
  }

  #merged(depth: number): SchemaCase {
    const inner = this.#any(depth);
    const [left, right] = ["left", "right"].map((name) => ({
      type: "object",
      properties: { [name]: inner.schema },
      required: [name],
    }));
    const instance = (): JsonValue => ({ left: inner.instance(), right: inner.instance() });
    return { schema: { allOf: [left!, right!], description: "Both." }, takesNull: false, instance };
  }

  #referred(depth: number): SchemaCase {
    const name = `part ${Object.keys(this.#definitions).length}`;
    this.#definitions[name] = {};
    const made = this.#any(depth);
    this.#definitions[name] = made.schema;
    return { ...made, schema: { $ref: `#/$defs/${encodeURIComponent(name)}`, description: "See there." } };
  }

  #tree(): SchemaCase {
    const children = { type: "array", items: { $ref: "#/$defs/tree" } };
    this.#definitions["tree"] = {
      type: "object",
      properties: { label: { type: "string" }, children },
      required: ["label"],
      additionalProperties: false,
    };
    const make = (depth: number): JsonObject =>
      depth === 0 ? { label: "leaf" } : { label: "node", children: [make(depth - 1), make(0)] };
    return { schema: { $ref: "#/$defs/tree" }, takesNull: false, instance: () => make(this.#int(3)) };
  }
}
