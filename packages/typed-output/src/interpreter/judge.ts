import type { JsonSchema, JsonValue } from "@basis/core";
import type { ReferenceIndex } from "../schema-references.ts";
import type { SchemaDraft, SchemaIssue } from "../schema-validator.ts";

/** Judges a value against one schema or keyword: what it complains of goes into the frame. */
export type Judge = (value: JsonValue, pointer: string, frame: Frame) => void;

/** Which members and items of a value some keyword has judged; kept only where `unevaluated…` asks for it. */
export interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** The resources that were entered on the way, the innermost first; `$dynamicRef` asks for the outermost. */
export interface Scope {
  readonly base: string;
  readonly outer: Scope | undefined;
}

/** What the judging of one value shares; a value that costs more is not judged at all. */
export interface Effort {
  steps: number;
  depth: number;
}

/** Where a judge puts what it finds. */
export interface Frame {
  readonly issues: SchemaIssue[];
  readonly seen: Seen | undefined;
  readonly scope: Scope | undefined;
  readonly effort: Effort;
}

/** What makers of judges can ask for. */
export interface JudgeMaker {
  readonly draft: SchemaDraft;
  readonly index: ReferenceIndex;
  /** The judge of a sub-schema; made once for each. */
  of(schema: JsonSchema): Judge;
}

/** Most issues collected of one value. */
export const MAX_ISSUES = 500;

/** The frame for a value inside the value: its members are nobody else's. */
export function inner(frame: Frame): Frame {
  return frame.seen === undefined ? frame : { ...frame, seen: undefined };
}

/** Judges apart: the issues, and what was seen, of one alternative. */
export function tryOut(judge: Judge, value: JsonValue, { pointer, frame }: Tried): Frame {
  const seen = frame.seen && { names: new Set<string>(), items: new Set<number>() };
  const own: Frame = { ...frame, issues: [], seen };
  judge(value, pointer, own);
  return own;
}

/** Where an alternative is tried. */
export interface Tried {
  readonly pointer: string;
  readonly frame: Frame;
}

/** Takes over what a met alternative has seen. */
export function keepSeen(from: Seen | undefined, to: Seen | undefined): void {
  if (!from || !to || from === to) return;
  for (const name of from.names) to.names.add(name);
  for (const item of from.items) to.items.add(item);
}

/** A value that takes too many steps, or too deep a recursion, to judge. */
export class TooMuchEffort extends Error {
  override readonly name: string = "TooMuchEffort";
}
