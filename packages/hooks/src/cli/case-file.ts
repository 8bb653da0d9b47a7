import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { readCall, type CallQuestion } from "./call-question.ts";
import {
  aFlag,
  anObject,
  anything,
  aText,
  oneOf,
  readObject,
  texts,
  wrongAt,
  type MemberRule,
  type UserDocument,
} from "./user-document.ts";

/** The version of the case file. */
export const CASES_SCHEMA = 1;

/** What a case expects; what is absent is not looked at. */
export interface Expectation {
  readonly decision?: string;
  /** A part of the outcome's reason. */
  readonly reason?: string;
  /** The input that the call runs with. */
  readonly input?: JsonObject;
  /** The result that the model is shown. */
  readonly output?: JsonValue;
  readonly isError?: boolean;
  /** Names that are asked, in this order; others may be asked as well. */
  readonly asked?: readonly string[];
  /** Names that are not. */
  readonly notAsked?: readonly string[];
}

/** One call and what the chain must make of it. */
export interface HookCase {
  readonly name: string;
  readonly question: CallQuestion;
  readonly expect: Expectation;
}

const DECISIONS = ["allow", "deny", "modify", "replace"];

const FILE_RULES: ReadonlyMap<string, MemberRule> = new Map<string, MemberRule>([
  ["schema", { must: String(CASES_SCHEMA), accepts: (value) => value === CASES_SCHEMA, required: true }],
  ["cases", { must: "a list of cases", accepts: Array.isArray, required: true }],
  ["$schema", aText],
]);

const CASE_RULES: ReadonlyMap<string, MemberRule> = new Map<string, MemberRule>([
  ["name", { ...aText, required: true }],
  ["call", { ...anObject, required: true }],
  [
    "expect",
    {
      must: "an object that says at least one thing",
      accepts: (value) => isJsonObject(value) && Object.keys(value).length > 0,
      required: true,
    },
  ],
]);

const EXPECT_RULES: ReadonlyMap<string, MemberRule> = new Map<string, MemberRule>([
  ["decision", oneOf(...DECISIONS)],
  ["reason", aText],
  ["input", anObject],
  ["output", anything],
  ["is_error", aFlag],
  ["asked", texts],
  ["not_asked", texts],
]);

/** The cases of a document, in order. @throws HookError `invalid_file` with the line. */
export function readCases(document: UserDocument): readonly HookCase[] {
  const { value } = document;
  const file = readObject(document, { pointer: "", what: "a case file", value }, FILE_RULES);
  return (file["cases"] as readonly JsonValue[]).map((item, index) =>
    readCase(document, item, `/cases/${index}`),
  );
}

function readCase(document: UserDocument, value: JsonValue, pointer: string): HookCase {
  const { name, call, expect } = readObject(document, { pointer, what: "a case", value }, CASE_RULES);
  const question = readCall(document, call, `${pointer}/call`);
  const at = `${pointer}/expect`;
  const expected = readObject(document, { pointer: at, what: "an expectation", value: expect }, EXPECT_RULES);
  refuseImpossible(document, at, { expected, question });
  return { name: name as string, question, expect: expectationOf(expected) };
}

/** A case that no chain can pass says so at once. */
function refuseImpossible(
  document: UserDocument,
  pointer: string,
  { expected, question }: { readonly expected: JsonObject; readonly question: CallQuestion },
): void {
  const isPost = question.event === "post_tool_use";
  const [never, keys] = isPost
    ? (["modify", ["input"]] as const)
    : (["replace", ["output", "is_error"]] as const);
  if (expected["decision"] === never)
    throw wrongAt(document, `${pointer}/decision`, `'${never}' is no answer to ${question.event}`);
  for (const key of keys) {
    if (Object.hasOwn(expected, key))
      throw wrongAt(document, `${pointer}/${key}`, `'${key}' cannot be expected of ${question.event}`);
  }
}

function expectationOf(expected: JsonObject): Expectation {
  const { is_error: isError, not_asked: notAsked, ...rest } = expected;
  return {
    ...(rest as Omit<Expectation, "isError" | "notAsked">),
    ...(isError !== undefined && { isError: isError as boolean }),
    ...(notAsked !== undefined && { notAsked: notAsked as readonly string[] }),
  };
}
