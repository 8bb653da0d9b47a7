import type { Verdict } from "../../src/index.ts";
import { referenceJson, type ReferenceValue } from "./reference-json.ts";
import { referenceText } from "./reference-text.ts";

/** What an answer decides, as the reference reads it; undefined stands for whatever is not there. */
export interface ReferenceAnswer {
  readonly decision: "allow" | "deny" | "modify" | "replace";
  readonly reason: string | undefined;
  /** The new input or output. */
  readonly value: ReferenceValue | undefined;
  readonly isError: boolean | undefined;
}

/** One line of a worker, as the reference reads it. */
export type ReferenceLine =
  | { readonly kind: "hello" | "foreign" }
  | { readonly kind: "answer"; readonly id: string; readonly answer: ReferenceAnswer | undefined };

/** All that a one-shot program printed. Where its bytes are no UTF-8, only a denial stands. */
export function referenceOutput(bytes: Uint8Array): ReferenceAnswer | undefined {
  const { text, exact } = referenceText(bytes);
  const answer = readAnswer(referenceJson(text));
  return exact || answer?.decision === "deny" ? answer : undefined;
}

/** One line of a worker, without its line break. */
export function referenceLine(bytes: Uint8Array): ReferenceLine {
  const { text, exact } = referenceText(bytes);
  const value = exact ? referenceJson(text) : undefined;
  if (!(value instanceof Map)) return { kind: "foreign" };
  const members: ReadonlyMap<string, ReferenceValue> = value;
  const id = members.get("id");
  if (typeof id === "string") return { kind: "answer", id, answer: readAnswer(members) };
  return { kind: id === undefined && members.get("hook_worker") === 1 ? "hello" : "foreign" };
}

function readAnswer(document: ReferenceValue | undefined): ReferenceAnswer | undefined {
  if (!(document instanceof Map)) return undefined;
  const members: ReadonlyMap<string, ReferenceValue> = document;
  const decision = members.get("decision");
  const given = members.get("reason");
  const reason = typeof given === "string" ? given : undefined;
  const plain = { reason, value: undefined, isError: undefined };
  if (decision === "allow" || decision === "deny") return { decision, ...plain };
  if (decision === "modify") {
    const value = members.get("input");
    return value instanceof Map && isFinite(value) ? { decision, ...plain, value } : undefined;
  }
  return decision === "replace" ? readReplace(members, reason) : undefined;
}

function readReplace(
  members: ReadonlyMap<string, ReferenceValue>,
  reason: string | undefined,
): ReferenceAnswer | undefined {
  const value = members.get("output");
  const isError = members.get("is_error");
  if (value === undefined || !isFinite(value)) return undefined;
  if (isError !== undefined && typeof isError !== "boolean") return undefined;
  return { decision: "replace", reason, value, isError };
}

/** False when a number in it is beyond all numbers, so that no JSON could say it again. */
function isFinite(value: ReferenceValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (value instanceof Map) return [...value.values()].every(isFinite);
  return Array.isArray(value) ? value.every(isFinite) : true;
}

/** True when the product and the reference agree on whether there is an answer, on its decision and on its whole payload. */
export function agree(found: Verdict | undefined, reference: ReferenceAnswer | undefined): boolean {
  if (found === undefined || found.decision === "broken") return reference === undefined;
  if (reference?.decision !== found.decision || reference.reason !== found.reason) return false;
  if (found.decision === "modify") return isSame(reference.value ?? null, found.input);
  if (found.decision !== "replace") return true;
  return reference.isError === found.isError && isSame(reference.value ?? null, found.output);
}

/** True when a value that the product answers is the one that the reference read. */
function isSame(reference: ReferenceValue, found: unknown): boolean {
  if (typeof reference !== "object" || reference === null) return Object.is(reference, found);
  if (typeof found !== "object" || found === null) return false;
  if (reference instanceof Map) {
    const keys = Object.keys(found);
    if (Array.isArray(found) || keys.length !== reference.size) return false;
    return keys.every((key) => reference.has(key) && isSame(reference.get(key), (found as never)[key]));
  }
  const items = reference as readonly ReferenceValue[];
  if (!Array.isArray(found) || found.length !== items.length) return false;
  return items.every((item, index) => isSame(item, found[index]));
}
