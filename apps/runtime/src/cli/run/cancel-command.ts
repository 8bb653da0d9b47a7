import { refuseAgents } from "../../approvals/lineage.ts";
import { cancelRun, type CancelOutcome } from "../../runs/cancel-run.ts";
import { findRun, runsUnderWay } from "../../runs/find-run.ts";
import type { RunPlace } from "../../runs/run-watch.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { flag } from "../arguments/option.ts";
import { complain, counted, progress } from "../terminal/output-format.ts";

const options = { all: flag("every run that is under way in this store") };

/** `basis cancel`. */
export const cancelCommand: Command = defineCommand({
  name: "cancel",
  about: "Cancel a run of any process: its turn is rolled back as if it had not been asked for.",
  more: [
    "The process that runs it is asked through the store and ends it within a moment. Where that process is gone, its lease is waited for (15 s at most) and the turn is rolled back here; so is one that waits for an approval. What its tools have done stays done, and the session is told so.",
    "To end a run and keep its work, interrupt it (Ctrl-C) where it runs. Only who may write the data directory can cancel, and no program that an agent started.",
  ],
  word: {
    name: "RUN",
    about: "a run's id, or a session's id or name: what runs or waits there",
    required: false,
  },
  options,
  examples: [
    ["basis cancel main-1c2d3e4f", "the turn of that session, from another terminal"],
    ["basis cancel --all", "every run under way"],
  ],
  run: (args, context) => {
    refuseUnclear(args);
    refuseAgents(context.env, "cancel");
    return withState(context, async (state) => {
      const { word } = args;
      if (word === undefined) return cancelAll(state, context);
      if (await cancelQueued(state, word)) return exitCode.ok;
      return (await cancelOne(state, await findRun(state, word), context)) ? exitCode.ok : exitCode.failed;
    });
  },
});

/** True for a turn that waited in the queue: it will not run. What a worker had begun of it is rolled back. */
async function cancelQueued(state: HostState, id: string): Promise<boolean> {
  const [{ askQueue }, { takeOut }] = await Promise.all([
    import("../../queue/open-queue.ts"),
    import("../../queue/end-queued.ts"),
  ]);
  const isOut = await askQueue(state, async (queue) => {
    const turn = await queue.get(id);
    return turn !== undefined && takeOut({ state, queue }, turn);
  });
  if (isOut) progress(`turn ${id} is taken out of the queue; nothing of it had run`);
  return isOut ?? false;
}

function refuseUnclear({ word, options: given }: Arguments<typeof options>): void {
  if ((word === undefined) !== (given.all === undefined)) return;
  throw new UsageError([
    word === undefined ? "name a RUN, or say --all" : "name a RUN or say --all, not both",
    "see: basis cancel --help",
  ]);
}

async function cancelAll(state: HostState, context: CommandContext): Promise<ExitCode> {
  const places = await runsUnderWay(state.store);
  if (places.length === 0) progress("no run is under way");
  const done = await Promise.all(places.map((place) => cancelOne(state, place, context)));
  const left = done.filter((isCancelled) => !isCancelled).length;
  if (left > 0) complain(`${counted(left, "run")} not cancelled`);
  return left > 0 ? exitCode.failed : exitCode.ok;
}

/** Cancels and tells; true once it is cancelled. */
async function cancelOne(state: HostState, place: RunPlace, { interrupt }: CommandContext): Promise<boolean> {
  const outcome = await cancelRun(state, place, { signal: interrupt.signal, waiting: progress });
  tell(place, outcome);
  return outcome.kind === "cancelled";
}

function tell({ run, session }: RunPlace, outcome: CancelOutcome): void {
  switch (outcome.kind) {
    case "cancelled":
      return progress(
        `cancelled run ${run} of session ${session}; its turn was rolled back${outcome.by === "this process" ? " here, since no process worked on it" : ""}`,
      );
    case "ended":
      return complain(`run ${run} had ended before: ${outcome.end.data.status}; nothing was changed`);
    case "unheard":
      return complain(
        `run ${run} goes on: ${outcome.owner ?? "its process"} is alive and has not ended it; try again, or end that process`,
      );
  }
}
