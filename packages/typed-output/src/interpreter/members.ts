import { childPointer, isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { choiceWords, counted, limitWords, quote, receivedWords } from "../issue-words.ts";
import type { SchemaIssue } from "../schema-validator.ts";
import { readPattern, type Pattern } from "../pattern.ts";
import { missingIssue } from "./assertions.ts";
import { inner, MAX_ISSUES, tryOut, type Judge, type JudgeMaker } from "./judge.ts";

/** The judge of `required`. */
export function requiredJudge(names: readonly string[]): Judge {
  return (value, pointer, { issues }) => {
    if (!isJsonObject(value)) return;
    for (const name of names) {
      if (!Object.hasOwn(value, name)) issues.push(missingIssue(pointer, "required", name));
    }
  };
}

/** The judge of `properties`, `patternProperties` and `additionalProperties`, which share the members of an object. */
export function membersJudge(node: JsonObject, make: JudgeMaker): Judge {
  const properties = mapOf(node["properties"]);
  const named = new Map(Object.entries(properties).map(([name, schema]) => [name, make.of(schema)]));
  const patterns = patternsOf(node, make);
  const rest = node["additionalProperties"] as JsonSchema | undefined;
  const other = rest === undefined || rest === false ? undefined : make.of(rest);
  const allowed = Object.keys(properties);
  return (value, pointer, frame) => {
    if (!isJsonObject(value)) return;
    const below = inner(frame);
    for (const [name, member] of Object.entries(value)) {
      if (frame.issues.length > MAX_ISSUES) return;
      const judges = judgesFor(name, named.get(name), patterns);
      if (judges.length === 0 && rest === undefined) continue;
      frame.seen?.names.add(name);
      if (judges.length === 0 && rest === false) {
        const message = `unknown property ${quote(name)}`;
        frame.issues.push({ pointer, keyword: "additionalProperties", message, allowed });
        continue;
      }
      const at = childPointer(pointer, name);
      for (const judge of judges.length === 0 ? [other!] : judges) judge(member, at, below);
    }
  };
}

/** Of a pattern that cannot be read no name is known not to match. */
const anyName: Pick<Pattern, "test"> = { test: () => true };

interface PatternJudge {
  readonly pattern: Pick<Pattern, "test">;
  readonly judge: Judge;
}

function patternsOf(node: JsonObject, make: JudgeMaker): readonly PatternJudge[] {
  return Object.entries(mapOf(node["patternProperties"])).map(([source, schema]) => {
    const pattern = readPattern(source);
    return { pattern: pattern ?? anyName, judge: make.of(pattern ? schema : false) };
  });
}

function judgesFor(
  name: string,
  named: Judge | undefined,
  patterns: readonly PatternJudge[],
): readonly Judge[] {
  if (patterns.length === 0) return named ? [named] : NONE;
  const matching = patterns.filter(({ pattern }) => pattern.test(name)).map(({ judge }) => judge);
  return named ? [named, ...matching] : matching;
}

const NONE: readonly Judge[] = [];

/** The judge of `propertyNames`. */
export function namesJudge(node: JsonObject, make: JudgeMaker): Judge {
  const judge = make.of(node["propertyNames"] as JsonSchema);
  return (value, pointer, frame) => {
    if (!isJsonObject(value)) return;
    for (const name of Object.keys(value)) {
      if (frame.issues.length > MAX_ISSUES) return;
      const [reason] = tryOut(judge, name, { pointer, frame }).issues;
      if (reason) frame.issues.push(nameIssue(pointer, name, reason));
    }
  };
}

/** The complaint about a name, with what the schema of names wants of it. */
function nameIssue(pointer: string, name: string, { keyword, message, allowed }: SchemaIssue): SchemaIssue {
  const wanted = allowed === undefined ? message : choiceWords(allowed);
  const size = keyword.endsWith("Length") ? `, got ${receivedWords(keyword, name)}` : "";
  return {
    pointer,
    keyword: "propertyNames",
    message: `property name ${quote(name)} is not allowed: ${wanted}${size}`,
    ...(allowed && { allowed }),
  };
}

/** The judge of `prefixItems`, `items` and `additionalItems`, which share the places of a list. */
export function itemsJudge(node: JsonObject, make: JudgeMaker): Judge | undefined {
  const modern = make.draft === "2020-12";
  const items = node["items"];
  const list = modern ? node["prefixItems"] : items;
  const first = Array.isArray(list) ? (list as readonly JsonSchema[]).map((schema) => make.of(schema)) : [];
  const rest = restOf(node, modern);
  if (first.length === 0 && rest === undefined) return undefined;
  const other = rest === undefined || rest === false ? undefined : make.of(rest);
  const keyword = modern || !Array.isArray(items) ? "items" : "additionalItems";
  return (value, pointer, frame) => {
    if (!Array.isArray(value)) return;
    if (rest === false && value.length > first.length) {
      frame.issues.push({ pointer, keyword, message: limitWords("items", first.length)! });
    }
    const below = inner(frame);
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      const judge = first[index] ?? other;
      if (!judge || frame.issues.length > MAX_ISSUES) break;
      frame.seen?.items.add(index);
      judge(item, `${pointer}/${index}`, below);
    }
  };
}

/** What judges the items after those that have a schema of their own. */
function restOf(node: JsonObject, modern: boolean): JsonSchema | undefined {
  const items = node["items"];
  if (modern || !Array.isArray(items))
    return Array.isArray(items) ? undefined : (items as JsonSchema | undefined);
  return node["additionalItems"] as JsonSchema | undefined;
}

/** The judge of `contains`, with `minContains` and `maxContains` where the draft has them. */
export function containsJudge(node: JsonObject, make: JudgeMaker): Judge {
  const judge = make.of(node["contains"] as JsonSchema);
  const old = make.draft === "draft-04" || make.draft === "draft-07";
  const least = old ? 1 : ((node["minContains"] as number | undefined) ?? 1);
  const most = old ? undefined : (node["maxContains"] as number | undefined);
  return (value, pointer, frame) => {
    if (!Array.isArray(value)) return;
    let count = 0;
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      if (tryOut(judge, item, { pointer, frame: inner(frame) }).issues.length > 0) continue;
      count += 1;
      if (make.draft === "2020-12") frame.seen?.items.add(index);
    }
    if (count >= least && (most === undefined || count <= most)) return;
    const limit =
      count < least
        ? `at least ${counted(least, "fitting item")}`
        : `at most ${counted(most!, "fitting item")}`;
    const message = `expected ${limit}, got ${count}`;
    frame.issues.push({ pointer, keyword: "contains", message });
  };
}

/** A map of schemas, empty where there is none. */
export function mapOf(value: JsonValue | undefined): Readonly<Record<string, JsonSchema>> {
  return isJsonObject(value) ? (value as Readonly<Record<string, JsonSchema>>) : {};
}
