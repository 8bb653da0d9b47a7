import { breaks, CANARY, hangs, prints, type BrokenGuard } from "./broken-guard.ts";

const mode = "worker";
const ends = (name: string, code: "exited" | "silent", breaking: string): BrokenGuard =>
  breaks(name, code, { mode, breaking: `echo ${CANARY} >&2; ${breaking}` });
const stalls = (name: string, breaking: string): BrokenGuard => hangs(name, { mode, breaking });
const greets = (name: string, greeting: string): BrokenGuard =>
  breaks(name, "invalid_answer", { mode, greeting, breaking: "allow" });
const ALLOWED = `"decision":"allow","reason":"${CANARY}"`;

/** Workers that end when they are asked, or before. */
const ENDING: readonly BrokenGuard[] = [
  ends("exit 1 instead of an answer", "exited", "exit 1"),
  ends("exit 0 instead of an answer", "silent", "exit 0"),
  ends(
    "exit 0 after half an answer",
    "silent",
    String.raw`printf '{"id":"%s","decision":"allow"' "$id"; exit 0`,
  ),
  ends("SIGKILL instead of an answer", "exited", "kill -KILL $$"),
  ends("SIGSEGV instead of an answer", "exited", "ulimit -c 0; kill -SEGV $$"),
  ends("a child that answers after its parent has ended", "silent", "(sleep 1; allow) & exit 0"),
  breaks("exit 3 before the hello", "exited", {
    mode,
    greeting: `echo ${CANARY} >&2; exit 3`,
    breaking: "allow",
  }),
];

/** Workers that do not answer before the deadline. */
const STALLING: readonly BrokenGuard[] = [
  stalls("a hang", "sleep 30"),
  stalls(
    "an allow that drips byte by byte",
    `allow | fold -w 1 | while read -r byte; do printf %s "$byte"; sleep 0.1; done`,
  ),
  stalls("TERM ignored", "trap '' TERM; while :; do sleep 1; done"),
  stalls("TERM answered with an allow", "trap 'allow; exit 0' TERM; while :; do sleep 0.05; done"),
  stalls("an allow written after the deadline", "trap '' TERM; sleep 0.4; allow; exit 0"),
  stalls("a stop of itself", "kill -STOP $$; allow"),
  stalls("an endless loop", "while :; do :; done"),
  stalls("a closed output and a hang", "exec 1>&- 2>&-; sleep 30"),
  stalls("a child that ignores TERM and is waited for", "(trap '' TERM; sleep 30) & wait; allow"),
  stalls(
    "a fork bomb limited to ten",
    `bomb() { [ "$1" -gt 0 ] && { bomb $(($1 - 1)) & }; sleep 30; }; bomb 9`,
  ),
  hangs("error output without end", { mode, breaking: `yes ${CANARY} >&2`, isLarge: true }),
  hangs("no hello", { mode, greeting: ":", breaking: "allow" }),
];

/** Workers that break the protocol. */
const FOREIGN: readonly BrokenGuard[] = [
  greets("a log line before the hello", `echo 'starting ${CANARY}'; echo '{"hook_worker":1}'`),
  greets("an answer before the hello", `echo '{"id":"${CANARY}",${ALLOWED}}'`),
  greets("a hello of another version", `echo '{"hook_worker":2}'`),
  greets("a second hello", `echo '{"hook_worker":1}'; echo '{"hook_worker":1}'`),
  prints("another question's id", `{"id":"00000000-0000-4000-8000-000000000000",${ALLOWED}}`, { mode }),
  prints("an answer without an id", `{"decision_":1,${ALLOWED}}`, { mode }),
  prints("an id that is no text", `{"id":1,${ALLOWED}}`, { mode }),
  prints("an id twice", `{"id":"%ID%","id":"%ID%",${ALLOWED}}`, { mode }),
  breaks("100 MB of output", "output_too_large", {
    mode,
    breaking: "head -c 100000000 /dev/zero",
    isLarge: true,
  }),
];

/** Workers that break in ways of their own. */
export const WAYS_OF_WORKERS: readonly BrokenGuard[] = [...ENDING, ...STALLING, ...FOREIGN];
