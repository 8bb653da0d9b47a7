import { systemClock } from "@basis/core";
import { compactionWire } from "../../host/compaction-wire.ts";
import { isCompactionError } from "../../compaction/compaction-error.ts";
import { compactAsked, previewCompaction, type DoneCompaction } from "../../host/asked-compaction.ts";
import type { CompactionOutline } from "../../compaction/compact-session.ts";
import { denyAll } from "@basis/approval";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, type ExitCode } from "../terminal/exit-code.ts";
import { keepOption } from "../arguments/keep-option.ts";
import { modelOption } from "../arguments/model-option.ts";
import { openAnswering, openHostState } from "../open-host.ts";
import { duration, flag } from "../arguments/option.ts";
import { answer, complain, counted, progress } from "../terminal/output-format.ts";
import { findSessionToRun } from "../arguments/session-option.ts";

const options = {
  keep: keepOption,
  model: modelOption,
  deadline: duration("longest time for it; then the session is as it was"),
  "dry-run": flag(
    "tell what would be summarised and about how many tokens that saves; ask and write nothing",
  ),
  json: flag("as JSON"),
};

type CompactArguments = Arguments<typeof options>;

/** `basis sessions compact`. */
export const sessionCompactCommand: Command = defineCommand({
  name: "sessions compact",
  about: "Summarise the beginning of a session, so that its next turns send less.",
  more: [
    "A model without tools writes the summary; it is appended as a row, and requests begin with it. Every message stays in the transcript: 'sessions show', exports and forks before the summary have them. A second compaction takes the first one's summary in.",
    "Rules, refusals, hooks and AGENTS.md are no part of the transcript and stay in force. A session with an open turn, or a call that waits for an approval, is refused (1). A summary that is empty, cut off or too long is not used. Turns do the same by themselves at --compact-at.",
  ],
  word: { name: "SESSION", about: "a session's id or its member's name", required: true },
  options,
  examples: [
    ["basis sessions compact reviewer --dry-run", "how much it would save"],
    ["basis sessions compact reviewer --keep 20messages", "all but the newest twenty messages at most"],
    [
      "basis sessions compact reviewer --model anthropic/claude-haiku-4-5",
      "another model writes the summary",
    ],
  ],
  run,
});

async function run({ word, options: given }: CompactArguments, context: CommandContext): Promise<ExitCode> {
  const { env, directory, interrupt } = context;
  const { signal } = interrupt;
  const state = await openHostState({ env, directory, signal });
  try {
    const session = await findSessionToRun(state.store, { name: word!, needsWork: false });
    const request = { sessionId: session.id, keep: given.keep, deadlineMs: given.deadline, signal };
    if (given["dry-run"]) return tell(await previewCompaction(state, request), given.json ?? false);
    const { models } = await openAnswering({ ...context, ...unused, model: given.model, signal });
    const ports = { state, model: models.main, clock: systemClock, waiting: progress };
    return tell(await compactAsked(ports, request), given.json ?? false);
  } catch (error) {
    if (!isCompactionError(error)) throw error;
    if (given.json) answer(JSON.stringify(error.toJSON()));
    complain(error.message);
    return exitCode.failed;
  } finally {
    await state.close();
  }
}

/** What opening a model asks of a run, and a compaction has none of. */
const unused = {
  ephemeral: false,
  trustWorkspace: false,
  trustUnpinned: false,
  allowRun: false,
  approver: denyAll,
  session: undefined,
  output: undefined,
} as const;

function tell(outline: CompactionOutline | DoneCompaction, asJson: boolean): ExitCode {
  const { summarised, kept, tokensBefore, tokensAfter } = outline;
  const isDone = "usage" in outline;
  if (asJson) answer(JSON.stringify({ dry_run: !isDone, ...compactionWire(outline) }));
  else {
    const what = `${counted(summarised, "message")} ${isDone ? "summarised" : "would be summarised"}, ${kept} kept`;
    const size = `a request takes about ${tokensAfter}${isDone ? "" : " and a summary"} in place of ${tokensBefore} tokens`;
    answer(`${what}; ${size}`);
    if (isDone)
      progress(`the summary took ${outline.usage.inputTokens} tokens in, ${outline.usage.outputTokens} out`);
  }
  return exitCode.ok;
}
