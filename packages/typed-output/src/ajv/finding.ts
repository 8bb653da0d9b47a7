import { childPointer, type JsonValue } from "@basis/core";
import type { JsonKind, SchemaIssue } from "../schema-validator.ts";
import type { AjvError } from "./load-ajv.ts";

/** An error on its way to an issue; a union already judged has its issue. */
export interface Finding {
  readonly error: AjvError;
  readonly issue?: SchemaIssue;
}

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
