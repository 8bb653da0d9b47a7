import { childPointer, isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { CALL_EFFECTS, type CallEffect, type HookEvent } from "../hook-request.ts";
import type { OnFailure } from "../participant.ts";
import { didYouMean } from "./nearest-name.ts";

/** One hook, exactly as an entry of hooks.json. */
export interface HookSpec {
  readonly name: string;
  /** The argument vector; executed as it is, never by a shell. */
  readonly command: readonly string[];
  /** Tool names or globs. Absent: every tool; empty: none. */
  readonly tools?: readonly string[];
  /** What the call does, whichever tool it goes through. Absent: every effect. A call whose effect nobody knows matches. */
  readonly effect?: readonly CallEffect[];
  /** JSON pointers into the input and the glob that the text there must match. */
  readonly input?: Readonly<Record<string, string>>;
  /** Default `pre_tool_use`. A hook that wants both events has two entries. */
  readonly event?: HookEvent;
  /** Default 5,000. */
  readonly timeout_ms?: number;
  /** Default `deny`. */
  readonly on_failure?: OnFailure;
  /** `process` (default): started for every question; `worker`: started once, and asked line after line. */
  readonly mode?: "process" | "worker";
  /** Names of environment variables that the program gets beside the baseline. */
  readonly env?: readonly string[];
  /** Asked and recorded, never enforced. Default false. */
  readonly shadow?: boolean;
  /** Files that its code reads or imports, from the workspace: trust pins them too. */
  readonly files?: readonly string[];
}

/** A spec with every default filled in. */
export interface HookSettings {
  readonly name: string;
  readonly command: readonly string[];
  readonly tools: readonly string[] | undefined;
  readonly effect: readonly CallEffect[] | undefined;
  readonly input: Readonly<Record<string, string>> | undefined;
  readonly event: HookEvent;
  readonly timeoutMs: number;
  readonly onFailure: OnFailure;
  readonly mode: "process" | "worker";
  readonly env: readonly string[];
  readonly shadow: boolean;
  readonly files: readonly string[];
}

/** What is wrong with a list of entries, and where. */
export class SpecProblem extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

const DEFAULT_TIMEOUT_MS = 5000;
/** The longest delay a timer can hold. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** What a key's value must be, in words that follow "must be". */
interface Rule {
  readonly must: string;
  readonly accepts: (value: JsonValue) => boolean;
  /** The words there are, where others are most likely misspelt. */
  readonly words?: readonly string[];
}

const oneOf = (...words: readonly string[]): Rule => ({
  must: words.map((word) => JSON.stringify(word)).join(" or "),
  accepts: (value) => words.includes(value as string),
  words,
});

const isText = (value: JsonValue): boolean =>
  typeof value === "string" && value !== "" && !value.includes("\0");
const listOf =
  (item: (value: JsonValue) => boolean) =>
  (value: JsonValue): boolean =>
    Array.isArray(value) && value.every(item);

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    "name",
    {
      must: "a text of 1 to 200 characters without control characters",
      accepts: (value) => isText(value) && /^[^\p{Cc}\p{Cf}]{1,200}$/u.test(value as string),
    },
  ],
  [
    "command",
    {
      must: "a list of texts without NUL that begins with a program",
      accepts: (value) =>
        Array.isArray(value) &&
        value.every((part) => typeof part === "string" && !part.includes("\0")) &&
        isText((value as JsonValue[])[0] ?? null),
    },
  ],
  ["tools", { must: "a list of tool names", accepts: listOf(isText) }],
  [
    "effect",
    {
      must: `a list of ${CALL_EFFECTS.map((word) => JSON.stringify(word)).join(", ")}`,
      accepts: listOf((value) => CALL_EFFECTS.includes(value as CallEffect)),
      words: CALL_EFFECTS,
    },
  ],
  [
    "input",
    {
      must: "an object of JSON pointers and globs",
      accepts: (value) =>
        isJsonObject(value) &&
        Object.entries(value).every(([pointer, glob]) => pointer.startsWith("/") && typeof glob === "string"),
    },
  ],
  ["event", oneOf("pre_tool_use", "post_tool_use")],
  [
    "timeout_ms",
    {
      must: `a whole number from 1 to ${MAX_TIMEOUT_MS}`,
      accepts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_TIMEOUT_MS,
    },
  ],
  ["on_failure", oneOf("deny", "allow")],
  ["mode", oneOf("process", "worker")],
  [
    "env",
    {
      must: "a list of environment variable names",
      accepts: listOf((value) => typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value)),
    },
  ],
  [
    "files",
    {
      must: "a list of relative paths that stay inside the workspace",
      accepts: listOf((value) => isText(value) && staysInside(value as string)),
    },
  ],
  ["shadow", { must: "true or false", accepts: (value) => typeof value === "boolean" }],
]);

/** Judged as text, for either kind of slash. */
function staysInside(path: string): boolean {
  const parts = path.split(/[/\\]/);
  return parts[0] !== "" && !/^[A-Za-z]:/.test(path) && !parts.includes("..");
}

const KEYS: readonly string[] = [...RULES.keys()];

/** Entries that were read, and everything that is wrong with them. */
export interface SpecCheck {
  /** Those that are right, with their defaults. */
  readonly hooks: readonly HookSettings[];
  readonly problems: readonly SpecProblem[];
}

/** Reads a list of entries; `pointer` says where the list stands. @throws SpecProblem for the first thing wrong. */
export function readSpecs(value: JsonValue | undefined, pointer: string): readonly HookSettings[] {
  const { hooks, problems } = checkSpecs(value, pointer);
  if (problems[0] !== undefined) throw problems[0];
  return hooks;
}

/** Reads a list of entries and finds all that is wrong with it, in order. */
export function checkSpecs(value: JsonValue | undefined, pointer: string): SpecCheck {
  if (!Array.isArray(value))
    return { hooks: [], problems: [new SpecProblem(pointer, "hooks must be a list")] };
  const hooks: HookSettings[] = [];
  const problems: SpecProblem[] = [];
  for (const [index, entry] of (value as readonly JsonValue[]).entries()) {
    const wrong = entryProblems(entry, childPointer(pointer, index));
    if (wrong.length === 0) hooks.push(withDefaults(entry as unknown as HookSpec));
    else problems.push(...wrong);
  }
  return { hooks, problems };
}

/** The keys that are not among the known ones, each with the one that may have been meant. */
export function unknownKeys(
  value: JsonObject,
  known: readonly string[],
  pointer: string,
): readonly SpecProblem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map(
      (key) => new SpecProblem(childPointer(pointer, key), `unknown key '${key}'${didYouMean(key, known)}`),
    );
}

function entryProblems(entry: JsonValue, pointer: string): readonly SpecProblem[] {
  if (!isJsonObject(entry)) return [new SpecProblem(pointer, "a hook must be an object")];
  const missing = ["name", "command"].filter((key) => entry[key] === undefined);
  const wrong = Object.entries(entry).filter(([key, value]) => RULES.get(key)?.accepts(value) === false);
  return [
    ...unknownKeys(entry, KEYS, pointer),
    ...missing.map((key) => new SpecProblem(pointer, `a hook needs '${key}'`)),
    ...wrong.map(([key, value]) => {
      const { must, words } = RULES.get(key)!;
      return new SpecProblem(childPointer(pointer, key), `'${key}' must be ${must}${misspelt(value, words)}`);
    }),
  ];
}

/** A hint for the first word that is none of those there are. */
function misspelt(value: JsonValue, words: readonly string[] = []): string {
  const given: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const word = given.find((one) => typeof one === "string" && !words.includes(one));
  return word === undefined ? "" : didYouMean(word as string, words);
}

function withDefaults(spec: HookSpec): HookSettings {
  return Object.freeze({
    name: spec.name,
    command: Object.freeze([...spec.command]),
    tools: spec.tools && Object.freeze([...spec.tools]),
    effect: spec.effect && Object.freeze([...spec.effect]),
    input: spec.input && Object.freeze({ ...spec.input }),
    event: spec.event ?? "pre_tool_use",
    timeoutMs: spec.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    onFailure: spec.on_failure ?? "deny",
    mode: spec.mode ?? "process",
    env: Object.freeze([...(spec.env ?? [])]),
    shadow: spec.shadow ?? false,
    files: Object.freeze([...(spec.files ?? [])]),
  });
}
