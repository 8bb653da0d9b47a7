import type { JsonObject, JsonSchema, JsonValue } from "@basis/core";
import { findEqualItems } from "../interpreter/json-equality.ts";
import { cut, limitWords, quote, typeIssue } from "../issue-words.ts";
import { kindOf, type JsonKind, type SchemaIssue } from "../schema-validator.ts";
import { atPointer } from "../schema-walk.ts";
import type { Finding } from "./finding.ts";
import type { AjvError } from "./load-ajv.ts";
import { bestBranch } from "./union-branch.ts";

/** Most issues told of one value. */
const MAX_ISSUES = 50;
/** Most of ajv's errors looked at. */
const MAX_ERRORS = 500;

/**
 * Turns ajv's errors into issues in our words. Of a union only the best branch's are kept: the one whose
 * tag the value carries, else the one of its kind with the fewest complaints.
 */
export function toIssues(
  errors: readonly AjvError[],
  root: JsonSchema,
  value: JsonValue,
): readonly SchemaIssue[] {
  let findings: Finding[] = [];
  for (const error of errors.slice(0, MAX_ERRORS)) {
    const isUnion = error.keyword === "anyOf" || (error.keyword === "oneOf" && !severalMatched(error));
    findings = isUnion ? bestBranch(findings, error, root) : [...dropInner(findings, error), { error }];
  }
  const issues = findings
    .filter(({ error }) => error.keyword !== "if")
    .map(({ error, issue }) => issue ?? toIssue(error, atPointer(value, error.instancePath)));
  const unique = new Map(issues.map((issue) => [`${issue.pointer} ${issue.message}`, issue]));
  const told = [...unique.values()].slice(0, MAX_ISSUES);
  return told.length > 0 ? told : [{ pointer: "", keyword: "schema", message: "does not fit the schema" }];
}

function severalMatched(error: AjvError): boolean {
  return error.params["passingSchemas"] !== null && error.params["passingSchemas"] !== undefined;
}

/** What a name, or an item that had to be found, was refused for is said by the keyword around it. */
function dropInner(findings: Finding[], error: AjvError): Finding[] {
  if (error.keyword === "propertyNames") {
    const name = error.params["propertyName"];
    return findings.filter((finding) => finding.error.propertyName !== name);
  }
  if (error.keyword !== "contains") return findings;
  const inner = `${error.schemaPath}/`;
  return findings.filter((finding) => !finding.error.schemaPath.startsWith(inner));
}

function toIssue(error: AjvError, received: JsonValue | undefined): SchemaIssue {
  const { keyword, params, instancePath: pointer } = error;
  const issue = (message: string, more: Partial<SchemaIssue> = {}): SchemaIssue => ({
    pointer,
    keyword,
    message,
    ...more,
  });
  switch (keyword) {
    case "type":
      return typeIssue(pointer, [params["type"]].flat() as JsonKind[]);
    case "enum":
      return issue("expected one of the allowed values", { allowed: operandOf(error) as JsonValue[] });
    case "const":
      return issue("expected one value only", { allowed: [operandOf(error)] });
    case "required":
      return issue(`missing property ${quote(params["missingProperty"])}`);
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = params["additionalProperty"] ?? params["unevaluatedProperty"];
      return issue(`unknown property ${quote(name)}`, { allowed: declaredNames(error) });
    }
    case "propertyNames":
      return issue(`property name ${quote(params["propertyName"])} is not allowed`);
    case "oneOf":
      return issue("fits more than one alternative, must fit exactly one");
    case "false schema":
      return issue("nothing is allowed here");
    default:
      return issue(inWords(error, received));
  }
}

function declaredNames(error: AjvError): JsonValue[] {
  const properties = (error.parentSchema as { properties?: object } | undefined)?.properties;
  return Object.keys(properties ?? {});
}

/** What the schema says by the keyword. */
function operandOf({ keyword, parentSchema }: AjvError): JsonValue {
  return (parentSchema as JsonObject)[keyword]!;
}

function inWords(error: AjvError, received: JsonValue | undefined): string {
  const { keyword, params } = error;
  const param = (name: string): string => String(params[name]);
  if (keyword === "pattern") return `expected text matching ${cut(param("pattern"), 120)}`;
  if (keyword === "multipleOf") return `expected a multiple of ${operandOf(error) as number}`;
  if (keyword === "uniqueItems") {
    const [before, index] = findEqualItems(received as readonly JsonValue[])!;
    return `items ${before} and ${index} are equal, all must differ`;
  }
  if (keyword === "contains") return `expected at least ${param("minContains")} fitting items`;
  if (keyword === "not") return `a ${kindOf(received)} like this is not allowed`;
  if (keyword.startsWith("dependen")) {
    return `missing property ${quote(params["missingProperty"])}, which ${quote(params["property"])} needs`;
  }
  const unit = limitWords(keyword, params["limit"] ?? params["len"]);
  if (unit !== undefined) return unit;
  if (params["comparison"] === undefined) return `does not fit ${keyword}`;
  return `expected ${param("comparison")} ${param("limit")}`;
}
