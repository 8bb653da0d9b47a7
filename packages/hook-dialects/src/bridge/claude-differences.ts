import type { Difference } from "./dialect.ts";

const event = "PreToolUse";

function row(when: string, example: Omit<NonNullable<Difference["example"]>, "event">): Difference {
  return { dialect: "claude", when, vendor: "allows", hardened: "denies", example: { event, ...example } };
}

const DENY = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}';

/** Where Claude Code lets a call through because a hook failed. */
export const claudeDifferences: readonly Difference[] = [
  row("a hook exits with a code other than 0 and 2, whatever it printed", {
    exitCode: 1,
    stdout: DENY,
    stderr: "Traceback",
  }),
  row("a signal ends it", { exitCode: null, stdout: "", stderr: "" }),
  { dialect: "claude", when: "it does not answer before its timeout", vendor: "allows", hardened: "denies" },
  { dialect: "claude", when: "its program cannot be started", vendor: "allows", hardened: "denies" },
  row("it prints half a JSON object", { exitCode: 0, stdout: '{"decision":"bl', stderr: "" }),
  row("a log line stands before its decision", { exitCode: 0, stdout: `checking\n${DENY}`, stderr: "" }),
  row("it answers another event", {
    exitCode: 0,
    stdout: '{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}',
    stderr: "",
  }),
  row("its decision is a word that Claude does not know", {
    exitCode: 0,
    stdout: '{"hookSpecificOutput":{"permissionDecision":"reject"}}',
    stderr: "",
  }),
  row("its denial stands where Claude does not read it", {
    exitCode: 0,
    stdout: '{"permissionDecision":"deny"}',
    stderr: "",
  }),
  {
    ...row("it asks for a person in a place where Claude reads `approve` and `block` alone", {
      exitCode: 0,
      stdout: '{"decision":"ask","reason":"sure?"}',
      stderr: "",
    }),
    hardened: "asks",
  },
  row("it denies in Cursor's words", { exitCode: 0, stdout: '{"permission":"deny"}', stderr: "" }),
  row("its hookSpecificOutput is no object", {
    exitCode: 0,
    stdout: '{"hookSpecificOutput":"deny"}',
    stderr: "",
  }),
  row("its change stands where Claude reads none", {
    exitCode: 0,
    stdout: '{"decision":"approve","updatedInput":{"command":"ls"}}',
    stderr: "",
  }),
  row("updatedInput is no object", {
    exitCode: 0,
    stdout: '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":"rm"}}',
    stderr: "",
  }),
];
