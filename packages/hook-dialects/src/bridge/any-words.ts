import type { JsonObject, JsonValue } from "@basis/core";
import type { Decoded, Dialect, Ended, ParseJson, Said } from "./dialect.ts";
import { asObject, asText, fell, hidesVerdict, wholeObject } from "./verdict-text.ts";

/** Keys under which some tool reads a verdict. */
const VERDICTS = ["decision", "permission", "permissionDecision", "permission_decision", "behavior"];
const DENIALS = new Set(
  "deny denied block blocked reject rejected forbid forbidden refuse refused".split(" "),
);
const QUESTIONS = new Set(["ask", "defer"]);
/** Keys under which some tool reads another input, or another result. */
const INPUTS = ["updatedInput", "updated_input", "modifiedArgs", "modified_args", "tool_input"];
const RESULTS = [
  "updatedToolOutput",
  "updatedMCPToolOutput",
  "updated_mcp_tool_output",
  "updated_tool_output",
  "modifiedResult",
];
const REASONS = [
  "permissionDecisionReason",
  "reason",
  "user_message",
  "userMessage",
  "stopReason",
  "message",
  "systemMessage",
];

/**
 * A dialect whose hooks are heard in every tool's words: what an ended program meant, and its vendor does not read, is a
 * failure that the vendor lets pass. A script that was written for one tool is often listed in another's settings.
 */
export function inAnyWords(dialect: Dialect): Dialect {
  return {
    ...dialect,
    decode(hook, ended, parse) {
      const decoded = dialect.decode(hook, ended, parse);
      const before = isBefore(hook.event);
      // What Windsurf's hooks print after a call is nobody's answer.
      if (dialect.name === "windsurf" && !before) return decoded;
      if (decoded.kind === "fell" || decoded.kind === "deny" || ended.exitCode !== 0) return decoded;
      return unheard(decoded, { isBefore: before, ended, parse }) ?? decoded;
    },
  };
}

function isBefore(event: string): boolean {
  return /^(?:pre|before)/i.test(event);
}

interface Printed {
  readonly isBefore: boolean;
  readonly ended: Ended;
  readonly parse: ParseJson;
}

/** What was meant and is not in what the vendor heard. */
function unheard(heard: Said, printed: Printed): Decoded | undefined {
  const { stdout } = printed.ended;
  const answer = wholeObject(stdout, printed.parse);
  if (answer !== undefined) return unheardIn(answer, heard, printed.isBefore);
  if (!hidesVerdict(stdout, printed.parse)) return undefined;
  const line = stdout
    .split("\n")
    .map((text) => wholeObject(text, printed.parse))
    .find((found) => found !== undefined);
  const meant = line === undefined ? undefined : unheardIn(line, heard, printed.isBefore);
  return meant ?? failed("its decision is not all that it printed", heard);
}

function unheardIn(answer: JsonObject, heard: Said, before: boolean): Decoded | undefined {
  const parts = partsOf(answer);
  if (parts === undefined) return failed("its hookSpecificOutput is no object", heard);
  const reason = reasonIn(parts);
  if (denies(parts) && !objects(heard)) {
    const hardened: Said = before
      ? { kind: "deny", reason }
      : { kind: "feedback", text: reason ?? "a hook objects to this result", blocks: true };
    return { ...failed("it denies where that word is not read", heard), hardened };
  }
  if (before && heard.kind !== "ask" && says(parts, QUESTIONS)) {
    const hardened: Said = { kind: "ask", reason };
    return { ...failed("it asks for a person where that word is not read", heard), hardened };
  }
  return changesUnheard(parts, { heard, before })
    ? failed("its change stands where none is read", heard)
    : undefined;
}

function reasonIn(parts: readonly JsonObject[]): string | undefined {
  return REASONS.flatMap((key) => parts.map((part) => asText(part[key]))).find((text) => text !== undefined);
}

/** The answer, what is specific to the event, and a verdict in a form of its own; undefined when these are no objects. */
function partsOf(answer: JsonObject): readonly JsonObject[] | undefined {
  const given = answer["hookSpecificOutput"];
  if (given === undefined || given === null) return [answer];
  const specific = asObject(given);
  if (specific === undefined) return undefined;
  const nested = asObject(specific["decision"]);
  return nested === undefined ? [answer, specific] : [answer, specific, nested];
}

function denies(parts: readonly JsonObject[]): boolean {
  return says(parts, DENIALS) || parts.some((part) => [false, "false"].includes(part["continue"] as string));
}

function says(parts: readonly JsonObject[], words: ReadonlySet<string>): boolean {
  return parts.some((part) => VERDICTS.some((key) => words.has(wordOf(part[key]))));
}

function wordOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.trim().toLowerCase() : "";
}

function objects(heard: Said): boolean {
  return heard.kind === "feedback" && heard.blocks;
}

function changesUnheard(
  [whole, ...specific]: readonly JsonObject[],
  { heard, before }: { readonly heard: Said; readonly before: boolean },
): boolean {
  if (objects(heard) || heard.kind === "modify" || heard.kind === "replace") return false;
  if (heard.kind === "ask" && heard.input !== undefined) return false;
  // A hook that prints the request it was given changes nothing.
  const { tool_input: _given, ...own } = whole!;
  const keys = before ? INPUTS : RESULTS;
  return [own, ...specific].some((part) => keys.some((key) => (part[key] ?? null) !== null));
}

function failed(problem: string, vendor: Said): Extract<Decoded, { kind: "fell" }> {
  return fell("invalid_answer", `printed something that is not a decision (${problem})`, vendor);
}
