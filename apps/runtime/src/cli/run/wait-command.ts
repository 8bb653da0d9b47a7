import { visibleText } from "@basis/approval";
import { SessionChanges } from "../../store/changes.ts";
import type { QueuedTurn } from "../../queue/queued-turn.ts";
import type { HostState } from "../../store/open-state.ts";
import { findRun } from "../../runs/find-run.ts";
import { readRunAccount } from "../../runs/run-account.ts";
import { RunWatch, type RunPlace, type RunStanding } from "../../runs/run-watch.ts";
import { defineCommand, type Command } from "../arguments/command.ts";
import { exitCode, type ExitCode } from "../terminal/exit-code.ts";
import { finishAccount } from "./finish-account.ts";
import { withState } from "../open-host.ts";
import { flag } from "../arguments/option.ts";
import { answer, complain, paint, progress } from "../terminal/output-format.ts";
import { shellWord } from "../terminal/shell-word.ts";

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
      const { signal } = interrupt;
      const place = await findRun(state, word!).catch(async (error: unknown) => {
        const queued = await untilBegun(state, word!, signal);
        if (queued === undefined) throw error;
        return queued;
      });
      const isUnrun = "isBegun" in place && !place.isBegun;
      const standing = isUnrun ? UNRUN : await untilEnded(state, place, signal);
      if (standing.kind !== "finished") return (await tellUnrun(state, place)) ?? tellLost(place, standing);
      if (options.json) answer(JSON.stringify(standing.end));
      const account = await readRunAccount(state.events.read(place.session), standing.end);
      return finishAccount(account, { json: options.json ?? false, streamed: false });
    }),
});

async function queuedTurn(state: HostState, run: string): Promise<QueuedTurn | undefined> {
  const { askQueue } = await import("../../queue/open-queue.ts");
  return askQueue(state, (queue) => queue.get(run));
}

/** True for a run that a queue will give to another worker. */
async function isQueued(state: HostState, run: string): Promise<boolean> {
  const turn = await queuedTurn(state, run);
  return turn?.state === "waiting" || turn?.state === "running";
}

const UNRUN = { kind: "lost", owner: null } as const;

/** Waits until a queued turn has told anything, or is over without; undefined for what the queue does not know. */
async function untilBegun(
  state: HostState,
  run: string,
  signal: AbortSignal,
): Promise<(RunPlace & { readonly isBegun: boolean }) | undefined> {
  const [{ askQueue }, { followTurn }] = await Promise.all([
    import("../../queue/open-queue.ts"),
    import("../../queue/follow-turn.ts"),
  ]);
  return askQueue(state, async (queue) => {
    const turn = await queue.get(run);
    if (turn === undefined) return undefined;
    progress(paint.dim(`turn ${run} of session ${turn.sessionId} waits for a worker`));
    const place = { session: turn.sessionId, run };
    for await (const _told of followTurn({ state, queue, turn, signal })) return { ...place, isBegun: true };
    return { ...place, isBegun: false };
  });
}

/** Tells why a turn that left the queue never ran; undefined for a run that was in none. */
async function tellUnrun(state: HostState, { run }: RunPlace): Promise<ExitCode | undefined> {
  const turn = await queuedTurn(state, run);
  if (turn === undefined) return undefined;
  complain(turn.reason ?? `the turn is ${turn.state}`);
  return turn.state === "cancelled" ? exitCode.interrupted : exitCode.failed;
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
