import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { choiceWords, cut, quote } from "../issue-words.ts";
import { kindOf } from "../schema-validator.ts";
import { chooseBranch, constantsOf, kindsOf } from "../union-choice.ts";
import { keepSeen, tryOut, type Frame, type Judge, type JudgeMaker } from "./judge.ts";
import { mapOf } from "./members.ts";

/** The judge of `allOf`. */
export function allOfJudge(node: JsonObject, make: JudgeMaker): Judge {
  const judges = schemasIn(node["allOf"]).map((schema) => make.of(schema));
  return (value, pointer, frame) => {
    for (const judge of judges) judge(value, pointer, frame);
  };
}

/** The judge of `anyOf` and `oneOf`. */
export function unionJudge(node: JsonObject, make: JudgeMaker, keyword: "anyOf" | "oneOf"): Judge {
  const schemas = schemasIn(node[keyword]);
  const judges = schemas.map((schema) => make.of(schema));
  return (value, pointer, frame) => {
    const tried: Frame[] = [];
    const met: number[] = [];
    for (const [index, judge] of judges.entries()) {
      const own = tryOut(judge, value, { pointer, frame });
      tried.push(own);
      if (own.issues.length > 0) continue;
      met.push(index + 1);
      keepSeen(own.seen, frame.seen);
      if (keyword === "anyOf" && frame.seen === undefined) return;
    }
    if (met.length === 1 || (met.length > 1 && keyword === "anyOf")) return;
    if (met.length > 1) {
      const message = `fits alternatives ${met.slice(0, 8).join(" and ")}, must fit exactly one`;
      frame.issues.push({ pointer, keyword, message });
      return;
    }
    const branches = schemas.map((schema, index) => ({
      schema: follow(schema, make),
      complaints: tried[index]!.issues,
    }));
    const choice = chooseBranch(branches, { pointer, keyword, received: value });
    frame.issues.push(...("issue" in choice ? [choice.issue] : choice.kept));
  };
}

/** Follows references to the first schema that is no mere reference. */
function follow(schema: JsonSchema, { index }: JudgeMaker): JsonValue {
  let at: JsonSchema = schema;
  for (let steps = 0; steps < 32 && isJsonObject(at) && typeof at["$ref"] === "string"; steps += 1) {
    const target: JsonSchema | undefined = index.find(index.targetOf(at, at["$ref"]));
    if (target === undefined) break;
    at = target;
  }
  return at;
}

/** The judge of `not`. */
export function notJudge(node: JsonObject, make: JudgeMaker): Judge {
  const refused = node["not"] as JsonSchema;
  const judge = make.of(refused);
  const words = exceptionWords(refused);
  return (value, pointer, frame) => {
    if (tryOut(judge, value, { pointer, frame }).issues.length > 0) return;
    frame.issues.push({ pointer, keyword: "not", message: words ?? `this ${kindOf(value)} is not allowed` });
  };
}

/** What a refused schema leaves, where that is short to say. */
function exceptionWords(refused: JsonSchema): string | undefined {
  if (!isJsonObject(refused) || Object.keys(refused).length !== 1) return undefined;
  const values = constantsOf(refused);
  if (values) return choiceWords(values).replace("expected", "expected anything but");
  const { pattern, required, type } = refused;
  if (typeof pattern === "string") return `expected no text matching ${cut(pattern, 120)}`;
  if (Array.isArray(required)) return `not allowed together: ${required.slice(0, 8).map(quote).join(", ")}`;
  return type === undefined ? undefined : `expected no ${kindsOf(refused).join(" or ")}`;
}

/** The judge of `if`, `then` and `else`. */
export function conditionJudge(node: JsonObject, make: JudgeMaker): Judge {
  const condition = make.of(node["if"] as JsonSchema);
  const branch = (keyword: string): Judge | undefined =>
    node[keyword] === undefined ? undefined : make.of(node[keyword] as JsonSchema);
  const [met, unmet] = [branch("then"), branch("else")];
  return (value, pointer, frame) => {
    const own = tryOut(condition, value, { pointer, frame });
    if (own.issues.length === 0) {
      keepSeen(own.seen, frame.seen);
      met?.(value, pointer, frame);
    } else unmet?.(value, pointer, frame);
  };
}

/** The judge of `dependentRequired`, `dependentSchemas` and, of older drafts, `dependencies`. */
export function dependenciesJudge(node: JsonObject, make: JudgeMaker, keyword: string): Judge {
  const needs = Object.entries(mapOf(node[keyword])).map(([name, need]) =>
    Array.isArray(need)
      ? namesNeeded(keyword, name, need as readonly string[])
      : whenPresent(name, make.of(need)),
  );
  return (value, pointer, frame) => {
    for (const need of needs) need(value, pointer, frame);
  };
}

function whenPresent(name: string, judge: Judge): Judge {
  return (value, pointer, frame) => {
    if (isJsonObject(value) && Object.hasOwn(value, name)) judge(value, pointer, frame);
  };
}

function namesNeeded(keyword: string, name: string, needed: readonly string[]): Judge {
  return whenPresent(name, (value, pointer, { issues }) => {
    for (const other of needed) {
      if (Object.hasOwn(value as JsonObject, other)) continue;
      const message = `missing property ${quote(other)}, which ${quote(name)} needs`;
      issues.push({ pointer, keyword, message });
    }
  });
}

function schemasIn(value: JsonValue | undefined): readonly JsonSchema[] {
  return Array.isArray(value) ? (value as readonly JsonSchema[]) : [];
}
