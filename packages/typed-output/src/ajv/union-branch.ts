import type { JsonObject, JsonSchema, JsonValue } from "@basis/core";
import { followLocal } from "../schema-references.ts";
import { chooseBranch, type UnionBranch } from "../union-choice.ts";
import { applicableAt } from "./applicable-schemas.ts";
import type { Finding } from "./finding.ts";
import type { AjvError } from "./load-ajv.ts";

/** Replaces what all branches of a failed union complained of by what concerns the best of them. */
export function bestBranch(findings: readonly Finding[], union: AjvError, root: JsonSchema): Finding[] {
  const { before, branches } = readBranches(findings, union, root);
  const received = (union.data ?? null) as JsonValue;
  const choice = chooseBranch(branches, { pointer: union.instancePath, keyword: union.keyword, received });
  return "issue" in choice ? [...before, { error: union, issue: choice.issue }] : [...before, ...choice.kept];
}

function readBranches(
  findings: readonly Finding[],
  union: AjvError,
  root: JsonSchema,
): { before: readonly Finding[]; branches: readonly UnionBranch<Finding>[] } {
  const parent = union.parentSchema as Record<string, JsonSchema[]> | undefined;
  const schemas = parent?.[union.keyword] ?? [];
  const before: Finding[] = [];
  const groups: Finding[][] = schemas.map(() => []);
  for (const finding of findings) {
    const owner = ownerOf(finding.error, union, { schemas, root });
    if (owner === undefined) before.push(finding);
    else groups[owner]!.push(finding);
  }
  const branches = schemas.map((schema, index) => ({
    schema: followLocal(root, schema),
    complaints: groups[index]!,
  }));
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
