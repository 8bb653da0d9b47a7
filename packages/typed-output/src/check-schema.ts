import { childPointer, isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import type { LedgerEntry } from "./ledger.ts";
import { silencedBy } from "./keyword-drafts.ts";
import { outputError, type DefinitionProblem, type OutputError } from "./output-error.ts";
import { readPattern } from "./pattern.ts";
import { ReferenceIndex } from "./schema-references.ts";
import type { CompileOptions, SchemaDraft } from "./schema-validator.ts";
import { isKeyword, walkSchema, type SchemaNode } from "./schema-walk.ts";

/** Keywords that say something to a reader and nothing to a validator. */
const ANNOTATIONS = new Set(["format", "contentEncoding", "contentMediaType", "contentSchema"]);

/**
 * Every check of a schema that needs no validator: `$async`, `$data`, references that leave the documents
 * given or lead nowhere, patterns that are no regular expression.
 *
 * @returns what the check of an answer will not carry out as written: unknown keywords and formats.
 * @throws OutputError `definition_error` with the pointer and the reason.
 */
export function checkSchema(schema: JsonSchema, options: CompileOptions): readonly LedgerEntry[] {
  const ledger: LedgerEntry[] = [];
  for (const node of walkSchema(schema)) {
    refuseForeign(node);
    ledger.push(...patternEntries(node), ...ignoredEntries(node, options.draft));
  }
  const companions = Object.entries(options.schemas).flatMap(([id, document]) => [
    ...walkSchema(document, `${id}#`),
  ]);
  for (const node of [...companions, ...checkReferences(schema, options)]) {
    refuseForeign(node);
    ledger.push(...patternEntries(node));
  }
  return ledger;
}

function refuseForeign({ schema, pointer }: SchemaNode): void {
  if (Object.hasOwn(schema, "$async")) {
    throw refusal("async_schema", childPointer(pointer, "$async"), "an $async schema is not accepted");
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (!isData(value) || ["const", "default", "properties", "$defs", "definitions"].includes(keyword))
      continue;
    throw refusal("data_reference", childPointer(pointer, keyword), "a $data reference is not accepted");
  }
}

function isData(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value["$data"] === "string";
}

const PATTERN_PROBLEM = "the pattern is no regular expression, or none that can be matched in bounded time";

function patternEntries({ schema, pointer }: SchemaNode): LedgerEntry[] {
  const found: [string, string][] = [];
  if (typeof schema["pattern"] === "string") {
    found.push([childPointer(pointer, "pattern"), schema["pattern"]]);
  }
  const map = schema["patternProperties"];
  for (const source of isJsonObject(map) ? Object.keys(map) : []) {
    found.push([childPointer(childPointer(pointer, "patternProperties"), source), source]);
  }
  return found.flatMap(([at, source]) => {
    const pattern = readPattern(source);
    if (!pattern) throw refusal("bad_pattern", at, PATTERN_PROBLEM);
    if (pattern.bounded) return [];
    const note = `not checkable in linear time: strings beyond ${pattern.maxLength} characters do not match`;
    return [{ pointer: at, keyword: "pattern", action: "limited", enforced: true, note } as const];
  });
}

function ignoredEntries({ schema, pointer }: SchemaNode, draft: SchemaDraft): LedgerEntry[] {
  return Object.keys(schema).flatMap((keyword): LedgerEntry[] => {
    const silenced = silencedBy(schema, keyword, draft);
    if (silenced === undefined && isKeyword(keyword) && !ANNOTATIONS.has(keyword)) return [];
    const note = silenced ?? noteOn(schema, keyword);
    return [{ pointer: childPointer(pointer, keyword), keyword, action: "ignored", enforced: false, note }];
  });
}

function noteOn(schema: JsonObject, keyword: string): string {
  if (keyword === "format")
    return `the format ${JSON.stringify(schema["format"])} is a hint to the model only`;
  return isKeyword(keyword) ? "a hint to the model only" : "an unknown keyword";
}

/** Refuses references that lead nowhere; answers the schemas that only references lead to. */
function checkReferences(schema: JsonSchema, options: CompileOptions): readonly SchemaNode[] {
  const index = new ReferenceIndex(schema, options);
  for (const { pointer, keyword, target } of index.references) {
    const answer = index.resolve(target);
    if (answer === "found") continue;
    const shown = target.replace(/^schema:\/\/root\//, "").slice(0, 200);
    const at = childPointer(pointer, keyword);
    if (answer === "remote") {
      throw refusal("remote_reference", at, `the reference to ${shown} leaves the documents given`);
    }
    if (answer === "ambiguous") {
      throw refusal("unresolved_reference", at, `the reference to ${shown} means more than one schema`);
    }
    throw refusal("unresolved_reference", at, `the reference to ${shown} leads nowhere`);
  }
  return index.parts;
}

/** A `definition_error` that names the place in the schema. */
export function refusal(reason: DefinitionProblem, pointer: string, message: string): OutputError {
  const at = pointer === "" ? "" : ` (at ${pointer})`;
  return outputError("definition_error", `${message}${at}`, { details: { pointer, reason } });
}
