import { breaks, CANARY, hangs, interpreted, type BrokenGuard } from "./broken-guard.ts";

const exits = (name: string, breaking: string): BrokenGuard =>
  breaks(name, "exited", { breaking: `echo ${CANARY} >&2; ${breaking}` });
const silent = (name: string, breaking: string): BrokenGuard => breaks(name, "silent", { breaking });

/** Programs that end with a code or a signal, most of them after a valid allow. */
const FAILING: readonly BrokenGuard[] = [
  exits("exit 1 after an allow", "allow; exit 1"),
  exits("exit 2 after an allow", "allow; exit 2"),
  exits("exit 4 after an allow", "allow; exit 4"),
  exits("exit 127 after an allow", "allow; exit 127"),
  exits("exit 255 after an allow", "allow; exit 255"),
  exits("SIGSEGV after an allow", "allow; ulimit -c 0; kill -SEGV $$"),
  exits("SIGKILL after an allow", "allow; kill -KILL $$"),
  exits("SIGTERM after an allow", "allow; kill -TERM $$"),
  exits("SIGABRT after an allow", "allow; ulimit -c 0; kill -ABRT $$"),
  exits("SIGHUP after an allow", "allow; kill -HUP $$"),
  exits("a syntax error in the script", "allow; if then"),
  exits("a command that is not found", "allow; no-such-command-here"),
  exits("an unset variable under set -u", 'set -u; allow; echo "$NO_SUCH_VARIABLE"'),
  exits("out of memory", `allow; ulimit -v 60000; text=${CANARY}; while :; do text=$text$text; done`),
  exits("a closed standard input that it reads", "exec 0<&-; read -r line && allow"),
  interpreted("an exception that Node does not catch", "node", `throw new Error("${CANARY}");`),
  interpreted(
    "a rejection that Node does not handle",
    "node",
    `void Promise.reject(new Error("${CANARY}"));`,
  ),
  interpreted(
    "a traceback of Python",
    "python3",
    `print('{"decision":"allow"}')\nraise ValueError("${CANARY}")\n`,
  ),
];

/** Programs that end well and say nothing. */
const SILENT: readonly BrokenGuard[] = [
  silent("nothing printed", "exit 0"),
  silent("white space only", String.raw`printf ' \n\t\r\n '`),
  silent("an allow on standard error", "allow >&2"),
  silent("a closed standard output", "exec 1>&-; (allow) 2>/dev/null; exit 0"),
  silent("a child that answers after its parent has ended", "(sleep 1; allow) & exit 0"),
  silent("a child that holds the pipe", "sleep 30 & exit 0"),
  silent("a child that holds the pipe and ignores TERM", "(trap '' TERM; sleep 30) & exit 0"),
  breaks("a child of its own session that answers later", "silent", {
    breaking:
      'setsid sleep 30 & (setsid sh -c \'sleep 1; echo {\\"decision\\":\\"allow\\"}\') & sleep 0.1; exit 0',
    escapes: true,
  }),
];

/** Programs that do not end before their deadline. */
const HANGING: readonly BrokenGuard[] = [
  hangs("a hang", { breaking: "sleep 30" }),
  hangs("a hang after an allow", { breaking: "allow; exec sleep 30" }),
  hangs("a hang after half an allow", { breaking: `printf '{"decision":"allow"'; exec sleep 30` }),
  hangs("an allow that drips byte by byte", {
    breaking: `allow | fold -w 1 | while read -r byte; do printf %s "$byte"; sleep 0.1; done`,
  }),
  hangs("TERM ignored", { breaking: "trap '' TERM; while :; do sleep 1; done" }),
  hangs("TERM answered with an allow", {
    breaking: "trap 'allow; exit 0' TERM; while :; do sleep 0.05; done",
  }),
  hangs("an allow written after the deadline", { breaking: "trap '' TERM; sleep 0.4; allow; exit 0" }),
  hangs("a stop of itself", { breaking: "kill -STOP $$; allow" }),
  hangs("an endless loop", { breaking: "while :; do :; done" }),
  hangs("a closed output and a hang", { breaking: "allow; exec 1>&- 2>&-; sleep 30" }),
  hangs("a child that ignores TERM and is waited for", {
    breaking: "(trap '' TERM; sleep 30) & wait; allow",
  }),
  hangs("a fork bomb limited to ten", {
    breaking: `bomb() { [ "$1" -gt 0 ] && { bomb $(($1 - 1)) & }; sleep 30; }; bomb 9`,
  }),
  hangs("error output without end", { breaking: `yes ${CANARY} >&2`, isLarge: true }),
  hangs("a child of its own session that is waited for", {
    breaking: "setsid sleep 30; allow",
    escapes: true,
  }),
];

/** Programs that print too much. */
const LARGE: readonly BrokenGuard[] = [
  breaks("100 MB of output", "output_too_large", {
    breaking: `allow; head -c 100000000 /dev/zero; exit 0`,
    isLarge: true,
  }),
  breaks("an allow and 8 MiB of white space", "output_too_large", {
    breaking: `allow; head -c 8388608 /dev/zero | tr '\\000' ' '`,
    isLarge: true,
  }),
];

/** One-shot programs that end badly, or not at all. */
export const WAYS_TO_END: readonly BrokenGuard[] = [...FAILING, ...SILENT, ...HANGING, ...LARGE];
