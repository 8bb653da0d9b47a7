import { childPointer, type JsonValue } from "@basis/core";
import type { JsonKind, SchemaIssue } from "./schema-validator.ts";

/** The issue of a value of the wrong kind. */
export function typeIssue(pointer: string, kinds: readonly JsonKind[]): SchemaIssue {
  return { pointer, keyword: "type", message: `expected ${kinds.join(" or ")}`, kinds };
}

/** A name as feedback shows it. */
export function quote(name: unknown): string {
  return JSON.stringify(cut(String(name), 80));
}

/** A text, cut to a length. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The issue of a tag that no branch has. */
export function tagIssue(pointer: string, tag: string, allowed: readonly JsonValue[]): SchemaIssue {
  return {
    pointer: childPointer(pointer, tag),
    keyword: "tag",
    message: "expected one of the allowed values",
    allowed,
  };
}

/** What a limit of a keyword asks for, in words; undefined for a keyword that is no such limit. */
export function limitWords(keyword: string, limit: unknown): string | undefined {
  const unit = UNITS[keyword];
  return unit === undefined ? undefined : `expected ${unit.replace("%", String(limit))}`;
}

const UNITS: Readonly<Record<string, string>> = {
  minLength: "at least % characters",
  maxLength: "at most % characters",
  minItems: "at least % items",
  maxItems: "at most % items",
  minProperties: "at least % properties",
  maxProperties: "at most % properties",
  additionalItems: "at most % items",
  items: "at most % items",
  unevaluatedItems: "at most % items",
};
