import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { isMultipleOf } from "../decimal-multiple.ts";
import { choiceWords, countCharacters, cut, limitWords, quote, typeIssue } from "../issue-words.ts";
import { readPattern } from "../pattern.ts";
import { kindOf, type JsonKind, type SchemaIssue } from "../schema-validator.ts";
import { needDigits } from "./exact-numbers.ts";
import { findEqualItems, oneOfThese } from "./json-equality.ts";
import type { Judge } from "./judge.ts";

type Complaint = Omit<SchemaIssue, "pointer" | "keyword">;
type Test = (value: JsonValue) => Complaint | undefined;

/** The judge of a keyword that looks at the value alone; undefined for one that asks nothing. */
type AssertionMaker = (node: JsonObject, operand: JsonValue) => Test | undefined;

/** The keywords that look at the value alone. */
const MAKERS: ReadonlyMap<string, AssertionMaker> = new Map<string, AssertionMaker>([
  ["type", typeTest],
  ["enum", (_node, allowed) => choiceTest(allowed as readonly JsonValue[])],
  ["const", (_node, only) => choiceTest([only])],
  ["multipleOf", multipleTest],
  ["maximum", (node, limit) => boundTest(node["exclusiveMaximum"] === true ? "<" : "<=", limit)],
  ["minimum", (node, limit) => boundTest(node["exclusiveMinimum"] === true ? ">" : ">=", limit)],
  ["exclusiveMaximum", (_node, limit) => boundTest("<", limit)],
  ["exclusiveMinimum", (_node, limit) => boundTest(">", limit)],
  ["maxLength", (_node, limit) => sizeTest("maxLength", limit)],
  ["minLength", (_node, limit) => sizeTest("minLength", limit)],
  ["maxItems", (_node, limit) => sizeTest("maxItems", limit)],
  ["minItems", (_node, limit) => sizeTest("minItems", limit)],
  ["maxProperties", (_node, limit) => sizeTest("maxProperties", limit)],
  ["minProperties", (_node, limit) => sizeTest("minProperties", limit)],
  ["pattern", patternTest],
  ["uniqueItems", (_node, wanted) => (wanted === true ? uniqueTest : undefined)],
]);

/** The judge of an assertion; undefined when the keyword is none, or asks nothing. */
export function assertionOf(node: JsonObject, keyword: string): Judge | undefined {
  const test = MAKERS.get(keyword)?.(node, node[keyword]!);
  if (!test) return undefined;
  return (value, pointer, { issues }) => {
    const complaint = test(value);
    if (complaint) issues.push({ pointer, keyword, ...complaint });
  };
}

/** What an assertion of a schema says against a value; undefined where it is content, or the keyword no assertion. */
export function complaintOf(node: JsonObject, keyword: string, value: JsonValue): Complaint | undefined {
  return MAKERS.get(keyword)?.(node, node[keyword]!)?.(value);
}

function typeTest(node: JsonObject, operand: JsonValue): Test {
  const named = [operand].flat() as JsonKind[];
  const kinds: JsonKind[] = node["nullable"] === true && !named.includes("null") ? [...named, "null"] : named;
  const set = new Set(kinds);
  const tellsIntegers = set.has("integer") && !set.has("number");
  if (set.has("number")) set.add("integer");
  const { message } = typeIssue("", kinds);
  return (value) => {
    if (tellsIntegers && typeof value === "number") needDigits(value);
    return set.has(kindOf(value)) ? undefined : { message, kinds };
  };
}

function choiceTest(allowed: readonly JsonValue[]): Test {
  const fits = oneOfThese(allowed);
  const message = choiceWords(allowed);
  return (value) => {
    if (!fits(value)) return { message, allowed };
    needDigits(value);
    return undefined;
  };
}

function multipleTest(_node: JsonObject, divisor: JsonValue): Test | undefined {
  if (typeof divisor !== "number") return undefined;
  const message = `expected a multiple of ${divisor}`;
  return (value) => {
    if (typeof value !== "number") return undefined;
    needDigits(value);
    return isMultipleOf(value, divisor) ? undefined : { message };
  };
}

const COMPARE: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
};

function boundTest(comparison: string, limit: JsonValue): Test | undefined {
  if (typeof limit !== "number") return undefined;
  const holds = COMPARE[comparison]!;
  const message = `expected ${comparison} ${limit}`;
  return (value) => {
    if (typeof value !== "number") return undefined;
    if (value === limit) needDigits(value);
    return holds(value, limit) ? undefined : { message };
  };
}

type SizeKeyword = `${"min" | "max"}${"Length" | "Items" | "Properties"}`;

function sizeTest(keyword: SizeKeyword, limit: JsonValue): Test {
  const message = limitWords(keyword, limit)!;
  const most = keyword.startsWith("max");
  return (value) => {
    const size = sizeOf(keyword, value);
    if (size === undefined) return undefined;
    return (most ? size <= (limit as number) : size >= (limit as number)) ? undefined : { message };
  };
}

function sizeOf(keyword: SizeKeyword, value: JsonValue): number | undefined {
  if (keyword.endsWith("Length")) return typeof value === "string" ? countCharacters(value) : undefined;
  if (keyword.endsWith("Items")) return Array.isArray(value) ? value.length : undefined;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}

function patternTest({ format }: JsonObject, source: JsonValue): Test | undefined {
  const pattern = readPattern(source as string);
  const what = typeof format === "string" ? `text of the format ${cut(format, 40)},` : "text";
  const message = `expected ${what} matching ${cut(source as string, 120)}`;
  return (value) => (typeof value !== "string" || pattern?.test(value) ? undefined : { message });
}

function uniqueTest(value: JsonValue): Complaint | undefined {
  const equal = Array.isArray(value) ? findEqualItems(value) : undefined;
  if (equal) needDigits(value);
  return equal && { message: `items ${equal[0]} and ${equal[1]} are equal, all must differ` };
}

/** The complaint about a name that is asked for and not there. */
export function missingIssue(pointer: string, keyword: string, name: string): SchemaIssue {
  return { pointer, keyword, message: `missing property ${quote(name)}` };
}
