import { systemClock } from "@basis/core";
import { isSessionError, type SessionRecord } from "@mobkit/session";
import { BoundedPattern, PatternError } from "../../redaction/bounded-pattern.ts";
import { matchingTexts } from "../../redaction/matching-texts.ts";
import { planRedaction, type RedactionOrder, type RedactionPlan } from "../../redaction/plan-redaction.ts";
import { redactSession } from "../../redaction/redact-session.ts";
import { REDACTED } from "../../redaction/texts.ts";
import { findSession } from "../../store/find-session.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { consentToDelete, refuseDeletionByAgents } from "./consent.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { flag, text, type Option } from "../arguments/option.ts";
import { answer, counted, progress } from "../terminal/output-format.ts";
import { doneLines, leftLines, planLines, viewDone, viewPlan } from "./redaction-lines.ts";
import { tellRefusal } from "./refusal.ts";
import { readSecret } from "../arguments/secret-source.ts";

const message: Option<readonly string[]> = {
  about:
    "redact these messages as a whole, what they say and call: positions as in 'basis sessions show', or ids, with commas between",
  value: "N|ID,…",
  read(given) {
    const names = given.split(",").map((name) => name.trim());
    if (names.includes("")) throw new UsageError(["takes positions or ids of messages with commas between"]);
    return names;
  },
};

const options = {
  text: text("FILE", "take this text out wherever it stands: a file that holds it, or - for standard input"),
  pattern: text(
    "FILE",
    "take out, as --text would, every text that this regular expression finds in this session's messages and events: a file that holds it, or -",
  ),
  message,
  everywhere: flag("also from the messages of every other session"),
  "dry-run": flag("tell what would change; change nothing"),
  yes: flag("do not ask"),
  json: flag("what changed and what was not reached, as JSON on standard output"),
};

type RedactArguments = Arguments<typeof options>;

/** `basis sessions redact`. */
export const sessionRedactCommand: Command = defineCommand({
  name: "sessions redact",
  about: "Take a text, or whole messages, out of a session for ever, in every fork that shares them.",
  more: [
    "The text is read from a file or standard input, never from the command line, which other users and your shell's history see. It becomes [redacted] in the messages, and goes from the event log, from approvals, rules, attachments, waiting events and what else the store keeps. A question that waits with the text in it is denied, an allow rule with it forgotten; a deny rule with it then denies more: every call of its tool where its pattern held it.",
    "The transcript keeps its messages, calls and positions, and the session goes on. The files are searched afterwards, and what still holds the text is told (exit code 1): messages of other sessions, unless --everywhere; a turn that runs elsewhere; a reader that keeps replaced bytes alive.",
    "A pattern is tried on the named session alone. What it finds there goes wherever --text reaches; other matches in other sessions are found by a command for each of them.",
    "Not reached: exports, backups and recordings made before, files of the workspace, the provider. A text that was encoded (base64) or cut is another text.",
  ],
  word: { name: "SESSION", about: "a session's id or its member's name", required: true },
  options,
  examples: [
    ["basis sessions redact reviewer --text key.txt --dry-run", "look before"],
    ["pass show api-key | basis sessions redact reviewer --text - --yes", "without a file"],
    ["basis sessions redact reviewer --message 3,4", "two messages as a whole, calls and results too"],
  ],
  async run(args, context) {
    if (!args.options["dry-run"]) refuseDeletionByAgents(context.env, "sessions redact");
    refuseContradictions(args);
    const texts = await readTexts(args, context);
    return withState(context, (state) => redactNamed(state, { args, texts }, context));
  },
});

function refuseContradictions({ options: { text: file, pattern, message: ids } }: RedactArguments): void {
  if (file === undefined && pattern === undefined && ids === undefined)
    throw new UsageError([
      "say what is to go: --text FILE, --pattern FILE or --message N,…",
      "see: basis sessions redact --help",
    ]);
  if (file === "-" && pattern === "-")
    throw new UsageError(["--text and --pattern cannot both read standard input"]);
}

/** What was read before the store is opened. */
interface ReadTexts {
  readonly exact: readonly string[];
  readonly pattern: BoundedPattern | undefined;
}

async function readTexts({ options: given }: RedactArguments, context: CommandContext): Promise<ReadTexts> {
  const read = async (option: "text" | "pattern"): Promise<string | undefined> => {
    const file = given[option];
    return file === undefined ? undefined : readSecret({ option: `--${option}`, given: file }, context);
  };
  const exact = await read("text");
  if (exact !== undefined && REDACTED.includes(exact))
    throw new UsageError([`--text holds a part of ${REDACTED}, which stands in place of what goes`]);
  const source = await read("pattern");
  return {
    exact: exact === undefined ? [] : [exact],
    pattern: source === undefined ? undefined : compile(source),
  };
}

function compile(source: string): BoundedPattern {
  try {
    return new BoundedPattern(source);
  } catch {
    throw new UsageError(["--pattern holds no regular expression (JavaScript's, with the flag u)"]);
  }
}

interface Asked {
  readonly args: RedactArguments;
  readonly texts: ReadTexts;
}

async function redactNamed(
  state: HostState,
  { args: { word, options: given }, texts }: Asked,
  context: CommandContext,
): Promise<ExitCode> {
  const { signal } = context.interrupt;
  const asJson = given.json ?? false;
  const session = await findSession(state.store, word!);
  try {
    const order: RedactionOrder = {
      session,
      ...(await allTexts(state, session, { texts, signal })),
      wholeIds: await idsOf(state, session, { names: given.message ?? [], signal }),
      everywhere: given.everywhere ?? false,
    };
    const plan = await planRedaction(state, order, { now: systemClock.now(), signal });
    if (given["dry-run"]) {
      if (asJson) answer(JSON.stringify(viewPlan(plan)));
      else answer(planLines(plan, "would be").join("\n"));
      return exitCode.ok;
    }
    const lines = planLines(plan, "will be");
    const consent = { command: `sessions redact`, lines, agreed: given.yes ?? false };
    const declined = await consentToDelete(consent, context);
    return declined ?? (await carryOut(state, plan, { asJson, signal }));
  } catch (error) {
    if (error instanceof PatternError) throw new UsageError([error.message]);
    if (!isSessionError(error, "invalid_request") && !isSessionError(error, "invalid_message")) throw error;
    tellRefusal(error, { asJson, hints: ["see: basis sessions show SESSION --json"] });
    return exitCode.failed;
  }
}

async function allTexts(
  state: HostState,
  session: SessionRecord,
  { texts, signal }: { readonly texts: ReadTexts; readonly signal: AbortSignal },
): Promise<Pick<RedactionOrder, "texts" | "loggedTexts">> {
  const { exact, pattern } = texts;
  if (pattern === undefined) return { texts: exact };
  const { spoken, logged } = await matchingTexts(state, session, { pattern, signal });
  const found = counted(spoken.length + logged.length, "text");
  progress(`the pattern finds ${found} in this session; other sessions are not searched by it`);
  return { texts: [...exact, ...spoken, ...logged], loggedTexts: logged };
}

/** The ids of messages that are named by position or id. @throws UsageError */
async function idsOf(
  { store }: HostState,
  session: SessionRecord,
  { names, signal }: { readonly names: readonly string[]; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name)) {
      ids.push(name);
      continue;
    }
    const at = Number(name);
    if (at >= session.len)
      throw new UsageError([`--message: the session has ${session.len} messages, 0 to ${session.len - 1}`]);
    for await (const { id } of store.read(session.id, { from: at, to: at + 1, signal })) ids.push(id);
  }
  return [...new Set(ids)];
}

async function carryOut(
  state: HostState,
  plan: RedactionPlan,
  { asJson, signal }: { readonly asJson: boolean; readonly signal: AbortSignal },
): Promise<ExitCode> {
  const { forgetEndedTurnsOf, forgetTurnsWith } = await import("../../queue/forget-turns.ts");
  // Which of their prompts is such a message, none of them says.
  if (plan.order.wholeIds.length > 0) await forgetEndedTurnsOf(state, plan.order.session.id);
  const queued = await forgetTurnsWith(state, plan.forms);
  const redacted = await redactSession(state, plan, { now: systemClock.now(), signal });
  const tables = { ...redacted.notReached.tables, ...(queued > 0 && { queue_turn: queued }) };
  const done = { ...redacted, notReached: { ...redacted.notReached, tables } };
  const left = leftLines(done.notReached, plan);
  if (asJson) answer(JSON.stringify(viewDone(done)));
  else answer(doneLines(done).join("\n"));
  for (const line of left) progress(line);
  return left.length === 0 ? exitCode.ok : exitCode.failed;
}
