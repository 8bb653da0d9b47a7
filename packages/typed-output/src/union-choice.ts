import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { choiceWords, tagIssue, typeIssue } from "./issue-words.ts";
import { kindOf, type JsonKind, type SchemaIssue } from "./schema-validator.ts";

const KINDS: readonly JsonKind[] = ["string", "number", "integer", "boolean", "null", "array", "object"];

/** An alternative of a union that was not met, and what it complained of. */
export interface UnionBranch<Complaint> {
  /** References followed. */
  readonly schema: JsonValue;
  readonly complaints: readonly Complaint[];
}

/** The union itself. */
export interface UnionFacts {
  readonly pointer: string;
  readonly keyword: string;
  readonly received: JsonValue;
}

/** What is told of a failed union: the best branch's complaints, or one issue of the whole. */
export type UnionChoice<Complaint> =
  | { readonly kept: readonly Complaint[] }
  | { readonly issue: SchemaIssue };

/**
 * Chooses what to say of a failed union: the branch whose tag the value carries, else the one of its kind
 * with the fewest complaints; when none is of its kind, or has its tag, that is the one issue.
 */
export function chooseBranch<Complaint>(
  all: readonly UnionBranch<Complaint>[],
  { pointer, keyword, received }: UnionFacts,
): UnionChoice<Complaint> {
  const branches = all.map((branch) => ({ ...branch, kinds: kindsOf(branch.schema) }));
  const fitting = branches.filter(({ kinds }) => accepts(kinds, kindOf(received)));
  if (fitting.length === 0) {
    return { issue: typeIssue(pointer, [...new Set(branches.flatMap((branch) => branch.kinds))]) };
  }
  const tag = isJsonObject(received) ? findTag(fitting.map(({ schema }) => schema)) : undefined;
  if (tag && isJsonObject(received)) {
    const carried = Object.hasOwn(received, tag.name) ? received[tag.name] : undefined;
    const chosen = fitting.find((_, index) => tag.values[index]!.includes(carried as JsonValue));
    return chosen ? { kept: chosen.complaints } : { issue: tagIssue(pointer, tag.name, tag.values.flat()) };
  }
  return closest(fitting, { pointer, keyword, received });
}

/** The complaints of the branch with the fewest; constants of several branches become one choice. */
function closest<Complaint>(
  branches: readonly UnionBranch<Complaint>[],
  { pointer, keyword }: UnionFacts,
): UnionChoice<Complaint> {
  const values = branches.map(({ schema }) => constantsOf(schema));
  if (values.every((list) => list !== undefined)) {
    const allowed = values.flat();
    return { issue: { pointer, keyword: "enum", message: choiceWords(allowed), allowed } };
  }
  const [best] = branches
    .filter(({ complaints }) => complaints.length > 0)
    .toSorted((left, right) => left.complaints.length - right.complaints.length);
  return best ? { kept: best.complaints } : { issue: { pointer, keyword, message: "fits no alternative" } };
}

/** The kinds of value that a schema may accept; an upper bound. */
export function kindsOf(schema: JsonValue): readonly JsonKind[] {
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

/** The only values that a schema accepts, where it lists them. */
export function constantsOf(schema: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (schema["const"] !== undefined) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as readonly JsonValue[]) : undefined;
}

/** The property whose constants tell all branches apart, and each branch's constants. */
export function findTag(
  branches: readonly JsonValue[],
): { readonly name: string; readonly values: readonly (readonly JsonValue[])[] } | undefined {
  if (branches.length < 2) return undefined;
  for (const name of Object.keys(propertiesOf(branches[0]!))) {
    const values = branches.map((schema) => {
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
