import type { HookEvent } from "../../src/index.ts";
import { ALLOW, CANARY, prints, type BrokenGuard, type GuardMode } from "./broken-guard.ts";

const reason = `"reason":"${CANARY}"`;
const isPre = (event: HookEvent): boolean => event === "pre_tool_use";
/** A rewrite that fits the event. */
const rewrite = (event: HookEvent, value: string): string =>
  isPre(event) ? `{"decision":"modify","input":${value}}` : `{"decision":"replace","output":${value}}`;
const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

/** What cannot stand in one line of a worker, or is no fault there. */
const LINES: readonly BrokenGuard[] = [
  prints("a log line after the JSON", `${ALLOW}\nchecked ${CANARY}\n`),
  prints("two documents on two lines", `${ALLOW}\n${ALLOW}\n`),
];

/** Programs that exit with 0 and print something else than one decision. */
export function waysToPrint(mode: GuardMode): readonly BrokenGuard[] {
  const says = (name: string, printed: Parameters<typeof prints>[1]): BrokenGuard =>
    prints(name, printed, { mode });
  return [
    says("a log line before the JSON", `checking ${CANARY}\n${ALLOW}`),
    says("two documents", `${ALLOW} ${ALLOW}`),
    says("a word instead of JSON", "allow"),
    says("a byte order mark", `\uFEFF${ALLOW}`),
    says("bytes that are no UTF-8", bytes(`{"decision":"allow","reason":"\xff\xfe"}`)),
    says("a rewrite with bytes that are no UTF-8", (event) => bytes(rewrite(event, `{"path":"\xc3"}`))),
    says("UTF-16", Buffer.from(ALLOW, "utf16le")),
    says("a NUL after the answer", `${ALLOW}\0`),
    says("a NUL inside a text", `{"decision":"allow","reason":"\0"}`),
    says("a decision twice", `{"decision":"deny",${reason},"decision":"allow"}`),
    says("a decision twice, once escaped", String.raw`{"decision":"deny","decisio\u006e":"allow"}`),
    says("another key twice", `{"decision":"allow","${CANARY}":1,"${CANARY}":2}`),
    says("the key __proto__", (event) => rewrite(event, `{"${CANARY}":{"__proto__":{"admin":true}}}`)),
    says("nesting 10,000 deep", (event) => rewrite(event, `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`)),
    says("a number beyond all numbers", (event) => rewrite(event, `{"n":1e999}`)),
    says("NaN", `{"decision":"allow","score":NaN}`),
    says("half a document", `{"decision":"allow","reason":"${CANARY}`),
    says("a trailing comma", `{"decision":"allow",}`),
    says("single quotes", `{'decision': 'allow'}`),
    says("a comment", `{"decision":"allow"} // ${CANARY}`),
    says("a Markdown fence", `\`\`\`json\n${ALLOW}\n\`\`\``),
    says("YAML", `decision: allow\nreason: ${CANARY}`),
    says("terminal colours", `\u001b[32m${ALLOW}\u001b[0m`),
    says("an array", `[${ALLOW}]`),
    says("a string", `"allow ${CANARY}"`),
    says("JSON inside a string", JSON.stringify(`{"decision": "allow"}`)),
    says("a number", "0"),
    says("true", "true"),
    says("null", "null"),
    says("no decision", `{"decision_":"allow",${reason}}`),
    says("an unknown decision", `{"decision":"${CANARY}"}`),
    says("another tool's verb", `{"decision":"approve",${reason}}`),
    says("a decision in capitals", `{"decision":"Allow",${reason}}`),
    says("a decision that is no text", `{"decision":["allow"],${reason}}`),
    says("another tool's answer", `{"continue":true,"hookSpecificOutput":{"permissionDecision":"allow"}}`),
    says("a rewrite without its value", (event) => `{"decision":"${isPre(event) ? "modify" : "replace"}"}`),
    says("a rewrite of the wrong type", (event) =>
      isPre(event)
        ? `{"decision":"modify","input":["${CANARY}"]}`
        : `{"decision":"replace","output":1,"is_error":"${CANARY}"}`,
    ),
    prints(
      "the other event's verb",
      (event) => rewrite(isPre(event) ? "post_tool_use" : "pre_tool_use", "{}"),
      {
        code: "wrong_event",
        mode,
      },
    ),
    ...(mode === "process" ? LINES : []),
  ];
}
