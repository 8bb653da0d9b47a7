import { canonicalJson, type JsonValue } from "@basis/core";
import type { Expectation } from "./case-file.ts";
import type { Explanation } from "./explanation.ts";
import { quoted } from "./why-left-out.ts";

/** Everything in which a chain's answer differs from what a case expects, in words; empty when nothing does. */
export function judgeCase(expect: Expectation, explanation: Explanation): readonly string[] {
  const { outcome, asked } = explanation;
  const names = asked.filter(({ entry }) => entry.mode === "decide").map(({ entry }) => entry.name);
  return [
    ...differs("decision", expect.decision, outcome.decision),
    ...reasonProblems(expect.reason, outcome.decision === "allow" ? undefined : outcome.reason),
    ...differs("input", expect.input, finalInput(explanation)),
    ...differs("output", expect.output, finalResult(explanation)?.output),
    ...differs("is_error", expect.isError, finalResult(explanation)?.isError),
    ...askedProblems(expect.asked, names),
    ...(expect.notAsked ?? [])
      .filter((name) => asked.some(({ entry }) => entry.name === name))
      .map((name) => `hook '${name}' was asked and should not be`),
  ];
}

function differs(
  what: string,
  expected: JsonValue | undefined,
  found: JsonValue | undefined,
): readonly string[] {
  if (expected === undefined) return [];
  if (found !== undefined && sameJson(expected, found)) return [];
  return [
    `${what}: expected ${JSON.stringify(expected)}, got ${found === undefined ? "none" : JSON.stringify(found)}`,
  ];
}

function sameJson(left: JsonValue, right: JsonValue): boolean {
  try {
    return canonicalJson(left) === canonicalJson(right);
  } catch {
    // A lone surrogate has no canonical form.
    return JSON.stringify(left) === JSON.stringify(right);
  }
}

function reasonProblems(part: string | undefined, reason: string | undefined): readonly string[] {
  if (part === undefined || reason?.includes(part) === true) return [];
  return [`reason: expected it to hold '${part}', got ${reason === undefined ? "none" : `'${reason}'`}`];
}

/** The expected names must stand among those asked, in their order. */
function askedProblems(expected: readonly string[] | undefined, names: readonly string[]): readonly string[] {
  let at = 0;
  for (const name of expected ?? []) {
    const found = names.indexOf(name, at);
    if (found < 0) {
      const why = names.includes(name) ? "was asked too early" : "was not asked";
      return [`hook '${name}' ${why}; asked: ${names.length === 0 ? "nobody" : quoted(names)}`];
    }
    at = found + 1;
  }
  return [];
}

/** What the call runs with; a denied one does not run. */
function finalInput({ outcome, question }: Explanation): JsonValue | undefined {
  if (outcome.decision === "deny") return undefined;
  return outcome.decision === "modify" ? outcome.input : question.input;
}

/** What the model is shown after the call. */
function finalResult({
  outcome,
  question,
}: Explanation): { output: JsonValue; isError: boolean } | undefined {
  switch (outcome.decision) {
    case "deny":
      return { output: outcome.reason, isError: true };
    case "replace":
      return outcome;
    default:
      return question.result;
  }
}
