import { isJsonObject, parseStrict, type JsonObject, type JsonValue } from "@basis/core";
import { keepsNumbers } from "./lost-digits.ts";
import type { LoweredSchema } from "./lowering/index.ts";
import type { Normalisation } from "./output-result.ts";
import type { OutputSpec } from "./output-spec.ts";
import { unwrap } from "./root-wrapper.ts";
import { kindOf, type CompiledSchema, type SchemaIssue } from "./schema-validator.ts";
import { atPointer, setOwn } from "./schema-walk.ts";

/** How a candidate was read, and what the schema says of it. */
export interface CandidateReading {
  readonly value: JsonValue;
  readonly issues: readonly SchemaIssue[];
  readonly notes: readonly Normalisation[];
}

/** What reading needs: the spec, its compiled schema, and the terminal tool's name. */
export interface ReadingContext {
  readonly spec: OutputSpec<unknown>;
  readonly compiled: CompiledSchema;
  readonly toolName: string;
  /** The schema that the model was shown instead of the author's. */
  readonly lowering?: LoweredSchema | undefined;
  /** True for a text that nobody can have cut off. */
  readonly whole?: boolean | undefined;
}

/** Most values that are taken out of a string in one candidate. */
const MAX_DECODED = 20;

/**
 * Reads a parsed candidate. The literal reading stands whenever the schema accepts it. Else, and only
 * where the schema forbids the literal reading, two known slips are undone and noted: an object or list
 * written as a JSON string, and a single envelope key (`output`, the spec's or the tool's name) around the answer.
 */
export function readCandidate(input: JsonValue, context: ReadingContext): CandidateReading {
  if (typeof input === "number" && context.spec.wrapped && context.whole !== true)
    return { value: input, issues: [bareNumber], notes: [] };
  const literal = readRoot(input, context);
  if (literal.issues.length === 0) return literal;
  const opened = openEnvelope(input, literal, context);
  const base = opened ?? literal;
  return base.issues.length === 0 ? base : decodeStrings(base, context);
}

/** Every beginning of a number is a number: outside of its wrapper none is known to be whole. */
const bareNumber: SchemaIssue = Object.freeze({
  pointer: "",
  keyword: "json",
  message: 'expected {"value": …}: a number that stands alone may be cut off',
});

/** Takes the value out of the wrapper of a non-object root; a bare one is read as it is, and noted. */
function readRoot(written: JsonValue, { spec, compiled, lowering }: ReadingContext): CandidateReading {
  const { value: input, issues } = lowering ? lowering.lift(written) : { value: written, issues: [] };
  if (issues.length > 0) return { value: input, issues, notes: [] };
  if (!spec.wrapped) return judged(input, [], compiled);
  const inner = unwrap(input);
  if (inner) return judged(inner.value, [], compiled);
  const bare = judged(input, [{ kind: "bare_root", pointer: "" }], compiled);
  if (bare.issues.length === 0) return bare;
  const decoded = typeof input === "string" ? parseContainer(input) : undefined;
  const wrapped = decoded === undefined ? undefined : unwrap(decoded);
  return wrapped ? judged(wrapped.value, [{ kind: "double_encoded", pointer: "" }], compiled) : bare;
}

function judged(
  value: JsonValue,
  notes: readonly Normalisation[],
  compiled: CompiledSchema,
): CandidateReading {
  return { value, issues: compiled.check(value), notes };
}

function openEnvelope(
  input: JsonValue,
  literal: CandidateReading,
  context: ReadingContext,
): CandidateReading | undefined {
  if (!isJsonObject(input)) return undefined;
  const [key, ...others] = Object.keys(input);
  if (key === undefined || others.length > 0) return undefined;
  const { spec, toolName } = context;
  if (![toolName, spec.name, "output"].includes(key) || isDeclared(spec, key)) return undefined;
  const inner = decodeStrings(readRoot(input[key]!, context), context);
  if (inner.issues.length >= literal.issues.length && inner.issues.length > 0) return undefined;
  return { ...inner, notes: [{ kind: "envelope", pointer: "" }, ...inner.notes] };
}

function isDeclared(spec: OutputSpec<unknown>, key: string): boolean {
  const properties = isJsonObject(spec.schema) ? spec.schema["properties"] : undefined;
  return isJsonObject(properties) && Object.hasOwn(properties, key);
}

/** Replaces strings by the objects and lists written in them, where the schema wants those and no string. */
function decodeStrings(reading: CandidateReading, { compiled }: ReadingContext): CandidateReading {
  let current = reading;
  for (let count = 0; count < MAX_DECODED; count += 1) {
    const next = decodeOne(current, compiled);
    if (!next) return current;
    current = next;
  }
  return current;
}

function decodeOne(reading: CandidateReading, compiled: CompiledSchema): CandidateReading | undefined {
  for (const { pointer, keyword, kinds = [] } of reading.issues) {
    if (keyword !== "type" || kinds.includes("string")) continue;
    const written = atPointer(reading.value, pointer);
    const decoded = typeof written === "string" ? parseContainer(written) : undefined;
    if (decoded === undefined || !kinds.includes(kindOf(decoded))) continue;
    const notes = [...reading.notes, { kind: "double_encoded", pointer } as const];
    return judged(replaceAt(reading.value, pointer, decoded), notes, compiled);
  }
  return undefined;
}

/** The object or list that a string holds, read as strictly as an answer. */
function parseContainer(text: string): JsonValue | undefined {
  const parsed = parseStrict(text);
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return undefined;
  return keepsNumbers(parsed, text) ? parsed.value : undefined;
}

/** A copy of a value with another at a pointer. */
export function replaceAt(root: JsonValue, pointer: string, value: JsonValue): JsonValue {
  const [, ...tokens] = pointer.split("/");
  const place = (at: JsonValue, rest: readonly string[]): JsonValue => {
    const [token, ...deeper] = rest;
    if (token === undefined) return value;
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) {
      return at.map((item: JsonValue, index) => (String(index) === name ? place(item, deeper) : item));
    }
    const copy: Record<string, JsonValue> = {};
    for (const [key, item] of Object.entries(at as JsonObject)) {
      setOwn(copy, key, key === name ? place(item, deeper) : item);
    }
    return copy;
  };
  return place(root, tokens);
}
