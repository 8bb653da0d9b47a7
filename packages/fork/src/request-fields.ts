import { isJsonObject } from "@basis/core";
import { ForkError, type InvalidRequestReason } from "./fork-error.ts";

/** What a field must be, for its refusal, and the test for it. */
interface FieldRule {
  readonly is: string;
  readonly test: (value: unknown) => boolean;
}

/** The fields that an object may have. A Map, so that no name from outside meets a prototype. */
export type FieldRules = ReadonlyMap<string, FieldRule>;

const MAX_KEY_LENGTH = 256;

const MAX_NAME_LENGTH = 512;
const MAX_LABELS = 64;
/** The longest claim that a store gives. */
const MAX_CLAIM_MS = 3_600_000;
/** The longest delay that a timer can hold. */
const MAX_DELAY_MS = 2_147_483_647;

/** True for text that every store can keep: well-formed, and without NUL. */
function isText(value: unknown): value is string {
  return typeof value === "string" && !/\p{Surrogate}|\0/u.test(value);
}

/** True for a text of at most 512 UTF-16 units; it may be blank. */
export function isName(value: unknown): value is string {
  return isText(value) && value.length <= MAX_NAME_LENGTH;
}

const name: FieldRule = {
  is: `a string of at most ${MAX_NAME_LENGTH} whole characters, none of them NUL`,
  test: isName,
};
const word: FieldRule = {
  is: `a string of 1 to ${MAX_NAME_LENGTH} whole characters, none of them NUL, that is not blank`,
  test: (value) => isName(value) && value.trim() !== "",
};
const flag: FieldRule = { is: "a boolean", test: (value) => typeof value === "boolean" };
const count: FieldRule = { is: "a whole number from 0", test: isCount };
const names: FieldRule = { is: "a list of tool names", test: (value) => isListOf(value, word.test) };

const POLICY_FIELDS: FieldRules = new Map([
  ["allow", names],
  ["deny", names],
]);

const EXPECT_FIELDS: FieldRules = new Map([
  ["digest", word],
  ["revision", count],
]);

/** The fields of a member spec. `identity` and `role` have refusals of their own. */
export const SPEC_FIELDS: FieldRules = new Map<string, FieldRule>([
  ["identity", name],
  ["role", name],
  ["labels", { is: `an object of at most ${MAX_LABELS} strings`, test: isLabels }],
  ["launchMode", { is: "`fresh`", test: (value) => value === "fresh" }],
  ["initialMessage", { is: "JSON, and not an empty text", test: (value) => value !== "" && isJson(value) }],
  ["model", word],
  [
    "toolAccessPolicy",
    { is: "{allow?: names, deny?: names}", test: (value) => hasOnly(value, POLICY_FIELDS) },
  ],
]);

/** The fields of a fork's options. */
export const OPTION_FIELDS: FieldRules = new Map<string, FieldRule>([
  ["at", { is: "a count, `settled`, {messageId} or {turnId}", test: isForkPoint }],
  [
    "expect",
    {
      is: "{digest} or {revision} or both",
      test: (value) => hasOnly(value, EXPECT_FIELDS) && Object.keys(value as object).length > 0,
    },
  ],
  ["allowEmpty", flag],
  [
    "whileRunning",
    { is: "`refuse` or `settled`", test: (value) => value === "refuse" || value === "settled" },
  ],
  [
    "idempotencyKey",
    {
      is: `a string of 1 to ${MAX_KEY_LENGTH} whole characters, none of them NUL`,
      test: (value) => isText(value) && value.length > 0 && value.length <= MAX_KEY_LENGTH,
    },
  ],
  [
    "identityAuthority",
    {
      is: "an identity authority: {resolveAlias, holdLifecycle}",
      test: (value) => hasMethods(value, "resolveAlias", "holdLifecycle"),
    },
  ],
  ["signal", { is: "an AbortSignal", test: (value) => value instanceof AbortSignal }],
  ["deadlineMs", { is: `a number of milliseconds above 0 and at most ${MAX_DELAY_MS}`, test: isDelay }],
]);

const PARTS: FieldRules = new Map<string, FieldRule>([
  ["store", { is: "a session store", test: (value) => hasMethods(value, "sideState") }],
  ["provisioner", { is: "a provisioner: {provision}", test: (value) => hasMethods(value, "provision") }],
  ["identityAuthority", OPTION_FIELDS.get("identityAuthority")!],
  ["onError", { is: "a function", test: (value) => typeof value === "function" }],
  [
    "claimTtlMs",
    {
      is: `a whole number from 1 to ${MAX_CLAIM_MS}`,
      test: (value) => isCount(value) && isBetween(Number(value), 1, MAX_CLAIM_MS),
    },
  ],
]);

/** Checks what forks are made with. @throws ForkError `invalid_request` naming the part that is none. */
export function checkParts(options: Readonly<Record<string, unknown>>): void {
  const { store = null, provisioner = null, identityAuthority, onError, claimTtlMs } = options;
  checkFields("options", { store, provisioner, identityAuthority, onError, claimTtlMs }, PARTS);
}

/** The fields of an operation's name. */
export const TARGET_FIELDS: FieldRules = new Map([
  ["operationId", word],
  ["sessionId", word],
]);

const STATES = new Set<unknown>(["committed", "seated", "abandoned"]);

/** The fields of a list's options. */
export const LIST_FIELDS: FieldRules = new Map<string, FieldRule>([
  ["state", { is: "`committed`, `seated` or `abandoned`", test: (value) => STATES.has(value) }],
  ["after", word],
  [
    "limit",
    { is: "a number from 1 to 1000", test: (value) => isCount(value) && isBetween(Number(value), 1, 1000) },
  ],
  ["signal", OPTION_FIELDS.get("signal")!],
]);

/** The fields of a call that only waits. */
export const CALL_FIELDS: FieldRules = new Map([["signal", OPTION_FIELDS.get("signal")!]]);

/** The fields of a resume's changes. */
export const RESUME_FIELDS: FieldRules = new Map<string, FieldRule>([
  ["identity", name],
  ["role", name],
  ["model", word],
  ...["identityAuthority", "signal", "deadlineMs"].map((name): [string, FieldRule] => [
    name,
    OPTION_FIELDS.get(name)!,
  ]),
]);

/**
 * Checks that `value` is an object with known, well-typed fields; a field that is `undefined` counts as absent.
 *
 * @throws ForkError `invalid_request` with `unknown_field` or `wrong_type`, naming the field.
 */
export function checkFields(name: string, value: unknown, rules: FieldRules): void {
  if (!isJsonObject(value)) refuse("wrong_type", name, `${name} must be an object`);
  for (const [key, held] of Object.entries(value)) {
    const rule = rules.get(key);
    const field = `${name}.${key}`;
    if (rule === undefined) refuse("unknown_field", field, `unknown field ${field}`);
    if (held !== undefined && !rule.test(held)) refuse("wrong_type", field, `${field} must be ${rule.is}`);
  }
}

function refuse(reason: InvalidRequestReason, field: string, message: string): never {
  throw new ForkError("invalid_request", message, { details: { reason, field } });
}

function hasMethods(value: unknown, ...methods: readonly string[]): boolean {
  const held = (value ?? {}) as Readonly<Record<string, unknown>>;
  return methods.every((method) => typeof held[method] === "function");
}

function isLabels(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= MAX_LABELS && entries.every(([key, held]) => word.test(key) && isName(held));
}

function isForkPoint(value: unknown): boolean {
  if (typeof value === "number") return isCount(value);
  if (value === "settled") return true;
  if (!isJsonObject(value)) return false;
  const [[key, held] = ["", ""], ...more] = Object.entries(value).filter(([, name]) => name !== undefined);
  return more.length === 0 && (key === "messageId" || key === "turnId") && word.test(held);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isDelay(value: unknown): boolean {
  return typeof value === "number" && value > 0 && value <= MAX_DELAY_MS;
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

function hasOnly(value: unknown, rules: FieldRules): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(
    ([key, held]) => held === undefined || rules.get(key)?.test(held) === true,
  );
}

function isListOf(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(test);
}

const MAX_DEPTH = 64;

/** True for a value that has a canonical JSON form; its texts may hold NUL, which JSON escapes. */
function isJson(value: unknown): boolean {
  return hasJsonText(value) && isCanonical(value, 0);
}

/** False for cycles and for what JSON has no text for. */
function hasJsonText(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function isCanonical(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "boolean") return true;
  if (typeof value === "string") return !/\p{Surrogate}/u.test(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  return Object.entries(value).every(
    ([key, held]) => isCanonical(key, depth) && (held === undefined || isCanonical(held, depth + 1)),
  );
}
