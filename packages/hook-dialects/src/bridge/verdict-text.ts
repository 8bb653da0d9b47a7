import type { JsonObject, JsonValue } from "@basis/core";
import type { Decoded, Ended, ParseJson, Said } from "./dialect.ts";

const ALLOW: Said = { kind: "allow" };

/** Keys by which an object shows that it wants to decide something. */
const VERDICT_KEYS: readonly string[] = [
  "decision",
  "permission",
  "permissionDecision",
  "hookSpecificOutput",
  "continue",
  "updatedInput",
  "updated_input",
  "modifiedArgs",
];

/** A denial or a change in the middle of a text: behind words on its line, in a list, between colours. */
const SHOWS_VERDICT =
  /"(?:decision|permission|permission_?decision|behavior)"[\s\p{Cc}[\d;m]*:[\s\p{Cc}[\d;m]*"(?:deny|block|ask|defer|reject)|"continue"\s*:\s*false|"hookSpecificOutput"\s*:/iu;

/** A text may hold many braces: this many beginnings are tried. */
const MAX_TRIES = 20;

/** The value as an object; undefined for everything else. */
export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** The value as a text that is not blank. */
export function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A failure that the vendor lets pass, unless told otherwise. */
export function fell(
  code: "exited" | "silent" | "invalid_answer",
  message: string,
  vendor: Said = ALLOW,
): Extract<Decoded, { kind: "fell" }> {
  return { kind: "fell", code, message, vendor };
}

/** The failure of a program that ended with a code or a signal that is no answer. */
export function fellByExit(exitCode: number | null, vendor: Said = ALLOW): Decoded {
  const how = exitCode === null ? "exited with a signal" : `exited with code ${exitCode}`;
  return fell("exited", how, vendor);
}

/** The failure of a text that is no answer. */
export function fellByText(problem: string, vendor: Said = ALLOW): Decoded {
  return fell("invalid_answer", `printed something that is not a decision (${problem})`, vendor);
}

/** The object that a text is; undefined when it is none. */
export function wholeObject(text: string, parse: ParseJson): JsonObject | undefined {
  return asObject(parse(text.trim()));
}

/** True when a verdict stands somewhere in a text that is not one: a log line before it, or words after it. */
export function hidesVerdict(text: string, parse: ParseJson): boolean {
  if (SHOWS_VERDICT.test(text)) return true;
  const lines = text.split("\n");
  const starts = lines.flatMap((line, index) => (line.trimStart().startsWith("{") ? [index] : []));
  return starts
    .slice(0, MAX_TRIES)
    .some(
      (start) =>
        isVerdict(parse(lines[start]!.trim())) || isVerdict(parse(lines.slice(start).join("\n").trim())),
    );
}

function isVerdict(value: JsonValue | undefined): boolean {
  const object = asObject(value);
  return object !== undefined && VERDICT_KEYS.some((key) => Object.hasOwn(object, key));
}

/** The reason in what a blocking program wrote to its error output: the text, or the words in the JSON that it is. */
export function reasonOf({ stderr }: Ended, parse: ParseJson): string | undefined {
  const object = wholeObject(stderr, parse);
  if (object === undefined) return asText(stderr)?.trim();
  const specific = asObject(object["hookSpecificOutput"]);
  const found = [specific?.["permissionDecisionReason"], object["reason"], object["systemMessage"]].find(
    (value) => asText(value) !== undefined,
  );
  return asText(found) ?? stderr.trim();
}
