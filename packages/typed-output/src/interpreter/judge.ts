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
  readonly maxSteps: number;
  /** What schemas that are referred to said at a place: each judges a value once, however many ways lead to it. */
  readonly known: Map<JsonSchema, Map<string, KnownVerdict>>;
}

/** What a schema said of a value. */
export interface KnownVerdict {
  readonly value: JsonValue;
  readonly issues: readonly SchemaIssue[];
}

/** Fewest and most steps that a value may cost, and how many for each value inside it. */
const STEPS = { least: 100_000, each: 100, most: 3_000_000 };

/** The frame for a whole value. */
export function startFrame(value: JsonValue, issues: SchemaIssue[]): Frame {
  const maxSteps = Math.min(STEPS.most, STEPS.least + STEPS.each * countValues(value));
  return {
    issues,
    seen: undefined,
    scope: undefined,
    effort: { steps: 0, depth: 0, maxSteps, known: new Map() },
  };
}

function countValues(root: JsonValue): number {
  let count = 0;
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined && count < STEPS.most; value = open.pop()) {
    count += 1;
    if (typeof value === "object" && value !== null)
      for (const member of Object.values(value)) open.push(member);
  }
  return count;
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
  /** True when what a schema says depends on the way that led to it. */
  readonly isScoped: boolean;
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
