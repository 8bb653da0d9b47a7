import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { followLocal } from "../schema-references.ts";
import { kindOf, type JsonKind } from "../schema-validator.ts";
import { applicableAt } from "./applicable-schemas.ts";
import { tagIssue, typeIssue, type Finding } from "./finding.ts";
import type { AjvError } from "./load-ajv.ts";

const KINDS: readonly JsonKind[] = ["string", "number", "integer", "boolean", "null", "array", "object"];

interface Branch {
  readonly schema: JsonValue;
  readonly kinds: readonly JsonKind[];
  readonly findings: readonly Finding[];
}

/** Replaces what all branches of a failed union complained of by what concerns the best of them. */
export function bestBranch(findings: readonly Finding[], union: AjvError, root: JsonSchema): Finding[] {
  const { before, branches } = readBranches(findings, union, root);
  const received = (union.data ?? null) as JsonValue;
  const fitting = branches.filter(({ kinds }) => accepts(kinds, kindOf(received)));
  if (fitting.length === 0) {
    const kinds = [...new Set(branches.flatMap((branch) => branch.kinds))];
    return [...before, { error: union, issue: typeIssue(union.instancePath, kinds) }];
  }
  const tag = isJsonObject(received) ? findTag(fitting) : undefined;
  if (tag && isJsonObject(received)) {
    const carried = Object.hasOwn(received, tag.name) ? received[tag.name] : undefined;
    const chosen = fitting.find((_, index) => tag.values[index]!.includes(carried as JsonValue));
    if (!chosen) {
      const allowed = tag.values.flat();
      return [...before, { error: union, issue: tagIssue(union.instancePath, tag.name, allowed) }];
    }
    return [...before, ...chosen.findings];
  }
  return [...before, ...closest(fitting, union)];
}

/** The findings of the branch with the fewest; constants of several branches become one choice. */
function closest(branches: readonly Branch[], union: AjvError): readonly Finding[] {
  const values = branches.map(({ schema }) => constantsOf(schema));
  if (values.every((list) => list !== undefined)) {
    const allowed = values.flat();
    const message = "expected one of the allowed values";
    return [{ error: union, issue: { pointer: union.instancePath, keyword: "enum", message, allowed } }];
  }
  const [best] = branches
    .filter(({ findings }) => findings.length > 0)
    .toSorted((left, right) => left.findings.length - right.findings.length);
  return (
    best?.findings ?? [
      {
        error: union,
        issue: { pointer: union.instancePath, keyword: union.keyword, message: "fits no alternative" },
      },
    ]
  );
}

function readBranches(
  findings: readonly Finding[],
  union: AjvError,
  root: JsonSchema,
): { before: readonly Finding[]; branches: readonly Branch[] } {
  const parent = union.parentSchema as Record<string, JsonSchema[]> | undefined;
  const schemas = parent?.[union.keyword] ?? [];
  const before: Finding[] = [];
  const groups: Finding[][] = schemas.map(() => []);
  for (const finding of findings) {
    const owner = ownerOf(finding.error, union, { schemas, root });
    if (owner === undefined) before.push(finding);
    else groups[owner]!.push(finding);
  }
  const branches = schemas.map((schema, index) => {
    const resolved = followLocal(root, schema);
    return { schema: resolved, kinds: kindsOf(resolved), findings: groups[index]! };
  });
  return { before, branches };
}

/** Which branch an error came from: the first whose schemas judge the error's place by the schema that raised it. */
function ownerOf(
  error: AjvError,
  union: AjvError,
  { schemas, root }: { schemas: readonly JsonSchema[]; root: JsonSchema },
): number | undefined {
  const { instancePath: outer } = union;
  if (error.instancePath !== outer && !error.instancePath.startsWith(`${outer}/`)) return undefined;
  const path = error.instancePath
    .slice(outer.length)
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const raisedBy = error.parentSchema as JsonObject;
  const index = schemas.findIndex((schema) => applicableAt(schema, path, root).has(raisedBy));
  return index < 0 ? undefined : index;
}

function kindsOf(schema: JsonValue): readonly JsonKind[] {
  if (!isJsonObject(schema)) return KINDS;
  const type = schema["type"];
  if (type !== undefined) return [type].flat() as JsonKind[];
  const constants = constantsOf(schema);
  if (constants) return [...new Set(constants.map(kindOf))];
  return isJsonObject(schema["properties"]) ? ["object"] : KINDS;
}

function accepts(kinds: readonly JsonKind[], kind: JsonKind): boolean {
  return kinds.includes(kind) || (kind === "integer" && kinds.includes("number"));
}

function constantsOf(schema: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (schema["const"] !== undefined) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as readonly JsonValue[]) : undefined;
}

/** The property whose constants tell all branches apart, and each branch's constants. */
function findTag(
  branches: readonly Branch[],
): { name: string; values: (readonly JsonValue[])[] } | undefined {
  if (branches.length < 2) return undefined;
  for (const name of Object.keys(propertiesOf(branches[0]!.schema))) {
    const values = branches.map(({ schema }) => {
      const properties = propertiesOf(schema);
      return Object.hasOwn(properties, name) ? constantsOf(properties[name]!) : undefined;
    });
    if (!values.every((list) => list !== undefined)) continue;
    const all = values.flat();
    if (new Set(all).size === all.length) return { name, values };
  }
  return undefined;
}

function propertiesOf(schema: JsonValue): JsonObject {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? properties : {};
}
