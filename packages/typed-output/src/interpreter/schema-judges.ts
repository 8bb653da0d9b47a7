import { isJsonObject, type JsonObject, type JsonSchema } from "@basis/core";
import { ReferenceIndex } from "../schema-references.ts";
import type { CompileOptions, SchemaDraft } from "../schema-validator.ts";
import { walkSchema } from "../schema-walk.ts";
import { assertionOf } from "./assertions.ts";
import { allOfJudge, conditionJudge, dependenciesJudge, notJudge, unionJudge } from "./combiners.ts";
import { keepSeen, TooMuchEffort, type Frame, type Judge, type JudgeMaker, type Seen } from "./judge.ts";
import { containsJudge, itemsJudge, membersJudge, namesJudge, requiredJudge } from "./members.ts";
import { dynamicJudge, recursiveJudge, referenceJudge } from "./references.ts";
import { otherItemsJudge, otherMembersJudge } from "./unevaluated.ts";

/** Deepest nesting of schemas being judged at one time; beyond it a recursion makes no progress. */
const MAX_DEPTH = 1_000;

type Maker = (node: JsonObject, make: JudgeMaker) => Judge | undefined;

const MODERN: readonly SchemaDraft[] = ["2019-09", "2020-12"];

/** Keywords that need more than the value, in the order in which they are judged. */
const MAKERS: readonly (readonly [string, Maker, (readonly SchemaDraft[])?])[] = [
  ["$ref", referenceJudge],
  ["$dynamicRef", dynamicJudge, ["2020-12"]],
  ["$recursiveRef", recursiveJudge, ["2019-09"]],
  ["required", (node) => (Array.isArray(node["required"]) ? requiredJudge(node["required"]) : undefined)],
  ["dependentRequired", (node, make) => dependenciesJudge(node, make, "dependentRequired"), MODERN],
  ["dependentSchemas", (node, make) => dependenciesJudge(node, make, "dependentSchemas"), MODERN],
  ["dependencies", (node, make) => dependenciesJudge(node, make, "dependencies")],
  ["propertyNames", namesJudge],
  ["contains", containsJudge],
  ["allOf", allOfJudge],
  ["anyOf", (node, make) => unionJudge(node, make, "anyOf")],
  ["oneOf", (node, make) => unionJudge(node, make, "oneOf")],
  ["not", notJudge],
  ["if", conditionJudge],
];

const MEMBERS = ["properties", "patternProperties", "additionalProperties"];

/** Makes the judges of a document's schemas, each when it is first asked for. */
export class SchemaJudges implements JudgeMaker {
  readonly draft: SchemaDraft;
  readonly index: ReferenceIndex;
  readonly #judges = new Map<JsonObject, Judge>();
  /** True when some schema asks what others have judged. */
  readonly #tracks: boolean;
  readonly isScoped: boolean;

  constructor(schema: JsonSchema, options: CompileOptions) {
    this.draft = options.draft;
    this.index = new ReferenceIndex(schema, options);
    const nodes = [schema, ...Object.values(options.schemas)].flatMap((document) => [
      ...walkSchema(document),
    ]);
    const says = (...keywords: string[]): boolean =>
      nodes.some(({ schema: node }) => keywords.some((keyword) => Object.hasOwn(node, keyword)));
    this.#tracks = MODERN.includes(this.draft) && says("unevaluatedProperties", "unevaluatedItems");
    this.isScoped = says("$dynamicRef", "$recursiveRef");
  }

  of(schema: JsonSchema): Judge {
    if (!isJsonObject(schema)) return schema ? nothing : refuseAll;
    const known = this.#judges.get(schema);
    if (known) return known;
    let made: Judge | undefined;
    const judge: Judge = (value, pointer, frame) => (made ??= this.#make(schema))(value, pointer, frame);
    this.#judges.set(schema, judge);
    return judge;
  }

  /** Makes the judge of every schema that the document holds, so that none is wrong later. */
  makeAll(schema: JsonSchema): void {
    for (const { schema: node } of walkSchema(schema)) this.#keywordJudges(node);
  }

  #keywordJudges(node: JsonObject): readonly Judge[] {
    const old = !MODERN.includes(this.draft);
    if (old && typeof node["$ref"] === "string") return [referenceJudge(node, this)];
    const judges = Object.keys(node).map((keyword) => assertionOf(node, keyword));
    for (const [keyword, make, drafts] of MAKERS) {
      const applies = Object.hasOwn(node, keyword) && (!drafts || drafts.includes(this.draft));
      if (applies) judges.push(make(node, this));
    }
    if (MEMBERS.some((keyword) => Object.hasOwn(node, keyword))) judges.push(membersJudge(node, this));
    judges.push(itemsJudge(node, this));
    if (!old && Object.hasOwn(node, "unevaluatedProperties")) judges.push(otherMembersJudge(node, this));
    if (!old && Object.hasOwn(node, "unevaluatedItems")) judges.push(otherItemsJudge(node, this));
    return judges.filter((judge) => judge !== undefined);
  }

  #make(node: JsonObject): Judge {
    const judges = this.#keywordJudges(node);
    const base = this.isScoped ? this.index.baseOf(node) : undefined;
    return (value, pointer, outer) => {
      const { effort } = outer;
      effort.steps += 1;
      effort.depth += 1;
      if (effort.steps > effort.maxSteps || effort.depth > MAX_DEPTH) throw new TooMuchEffort();
      const frame = this.#enter(outer, base);
      const before = frame.issues.length;
      for (const judge of judges) judge(value, pointer, frame);
      if (frame.issues.length === before) keepSeen(frame.seen, outer.seen);
      effort.depth -= 1;
    };
  }

  #enter(outer: Frame, base: string | undefined): Frame {
    const entered = base !== undefined && outer.scope?.base !== base;
    if (!this.#tracks && !entered) return outer;
    const seen: Seen | undefined = this.#tracks ? { names: new Set(), items: new Set() } : undefined;
    return { ...outer, seen, scope: entered ? { base, outer: outer.scope } : outer.scope };
  }
}

const nothing: Judge = () => undefined;

const refuseAll: Judge = (_value, pointer, { issues }) => {
  issues.push({ pointer, keyword: "false schema", message: "nothing is allowed here" });
};
