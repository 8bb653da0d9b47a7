import { visibleText } from "@basis/approval";
import type { RunOutcome } from "@basis/core";
import type { EventRange } from "../events/event-log.ts";
import { SessionChanges } from "../store/changes.ts";
import type { HostState } from "../store/open-state.ts";
import { findRun } from "../runs/find-run.ts";
import { RunWatch, type RunFinished, type RunPlace, type RunStanding } from "../runs/run-watch.ts";
import { defineCommand, type Command } from "./command.ts";
import { exitCode, exitCodeOf, type ExitCode } from "./exit-code.ts";
import { withState } from "./open-host.ts";
import { flag } from "./option.ts";
import { answer, complain, paint, progress } from "./output-format.ts";
import { shellWord } from "./shell-word.ts";

/** How often a run of another process is looked at. */
const LOOK_EVERY_MS = 150;

/** `basis wait`. */
export const waitCommand: Command = defineCommand({
  name: "wait",
  about: "Wait for a run of another process to end: print its answer, end with its exit code.",
  more: [
    "A run that has ended already is answered at once. When the process that ran it is gone, that is told as soon as its lease has run out (15 s at most), and the code is 1. Ctrl-C ends the waiting alone: the run goes on.",
  ],
  word: {
    name: "RUN",
    about: "a run's id, or a session's id or name: what runs there, else what ran there last",
    required: true,
  },
  options: { json: flag("print the run's last event instead of its answer") },
  examples: [
    ["basis wait main-1c2d3e4f", "the answer on standard output, the code of the run"],
    ["basis wait main-1c2d3e4f && make deploy", "only if it completed"],
  ],
  run: ({ word, options }, { env, directory, interrupt }) =>
    withState({ env, directory, interrupt }, async (state) => {
      const place = await findRun(state, word!);
      const standing = await untilEnded(state, place, interrupt.signal);
      if (standing.kind !== "finished") return tellLost(place, standing);
      if (options.json) answer(JSON.stringify(standing.end));
      return tellEnd(state, { place, end: standing.end, silent: options.json ?? false });
    }),
});

/** True for a run that a queue will give to another worker. */
async function isQueued(state: HostState, run: string): Promise<boolean> {
  if (state.database === undefined) return false;
  const { askQueue } = await import("../queue/open-queue.ts");
  const turn = await askQueue(state, (queue) => queue.get(run));
  return turn?.state === "waiting" || turn?.state === "running";
}

/** Waits until a run has ended, or until nobody works on it any more. */
async function untilEnded(
  state: HostState,
  place: RunPlace,
  signal: AbortSignal,
): Promise<Exclude<RunStanding, { kind: "running" }>> {
  const watch = new RunWatch(state, place);
  const changes = new SessionChanges(state.changes, place.session, LOOK_EVERY_MS);
  let isTold = false;
  try {
    for (;;) {
      const standing = await watch.look();
      const goesOn = standing.kind === "lost" && (await isQueued(state, place.run));
      if (standing.kind !== "running" && !goesOn) return standing;
      if (!isTold) progress(paint.dim(`waiting for run ${place.run} of session ${place.session}`));
      isTold = true;
      await changes.next(signal);
    }
  } finally {
    changes.end();
  }
}

/** Tells that a run will never end by itself. */
export function tellLost(
  { run, session }: RunPlace,
  { owner }: Pick<Extract<RunStanding, { kind: "lost" }>, "owner">,
): ExitCode {
  const who = owner === null ? "its process" : `its process (${visibleText(owner)})`;
  complain(`run ${run} did not end: ${who} is gone`);
  progress(
    `its work is kept; go on with: basis run --session ${shellWord(session)}, or take it back with: basis cancel ${run}`,
  );
  return exitCode.failed;
}

interface Telling {
  readonly place: RunPlace;
  readonly end: RunFinished;
  /** Standard output is taken. */
  readonly silent: boolean;
}

/** Prints the answer of a run that has ended, or why there is none; answers its exit code. */
export async function tellEnd({ events }: HostState, { place, end, silent }: Telling): Promise<ExitCode> {
  const { status, stopped_by: stoppedBy } = end.data;
  const { text, verdict } = await answerOf(events.read(place.session), place.run);
  if (!silent && verdict !== "refused" && text !== "") answer(text);
  const code = codeOf({ status, stoppedBy, verdict });
  if (code !== exitCode.ok) complain(whyNot(end, verdict));
  return code;
}

/** What became of a typed run's answer; undefined for a run in prose. */
type Verdict = "accepted" | "refused" | undefined;

/** The answer of a run as its log tells it. */
async function answerOf(
  events: EventRange,
  run: string,
): Promise<{ readonly text: string; readonly verdict: Verdict }> {
  let text = "";
  let verdict: Verdict;
  for await (const event of events) {
    if (event.run !== run) continue;
    if (event.type === "assistant_message" && event.data.calls.length === 0) text = event.data.text;
    if (event.type === "output_attempted") verdict = "refused";
    if (event.type !== "output_accepted") continue;
    verdict = "accepted";
    text = JSON.stringify(event.data.candidate, null, 2);
  }
  return { text, verdict };
}

function whyNot({ data }: RunFinished, verdict: Verdict): string {
  const { status, stopped_by: stoppedBy, error, approval_id: approvalId } = data;
  if (approvalId !== undefined) return `it waits for approval ${approvalId}`;
  if (error !== undefined) return error;
  if (verdict === "refused") return "no answer that fits its schema";
  if (status === "cancelled") return "cancelled; its turn was rolled back";
  return stoppedBy === undefined ? status : `${status} by ${stoppedBy.replaceAll("_", " ")}`;
}

/** A typed run ends as its last attempt did, unless something else stopped it. */
function codeOf({
  status,
  stoppedBy,
  verdict,
}: {
  readonly status: RunOutcome;
  readonly stoppedBy: string | undefined;
  readonly verdict: Verdict;
}): ExitCode {
  const endedItself = status === "completed" || stoppedBy === "output";
  if (endedItself) return verdict === "refused" ? exitCode.failed : exitCode.ok;
  return exitCodeOf({ outcome: status, ...(stoppedBy && { stoppedBy: stoppedBy as never }) });
}
