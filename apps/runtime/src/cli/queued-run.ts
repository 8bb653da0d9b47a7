import { dataDirectory, configDirectory } from "../config/data-dir.ts";
import { followTurn } from "../queue/follow-turn.ts";
import { openQueue } from "../queue/open-queue.ts";
import { queueTurn, type TurnWish } from "../queue/queue-turn.ts";
import { turnFit } from "../queue/turn-fit.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { RunFinished } from "../runs/run-watch.ts";
import type { HostState } from "../store/open-state.ts";
import type { CommandContext } from "./command.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import { openGuardedWorkspace, type GuardedWorkspace } from "./open-guarded-workspace.ts";
import { openHostState } from "./open-host.ts";
import { complain, paint, progress, warn } from "./output-format.ts";
import { renderEvents } from "./render-events.ts";
import { findSessionToRun } from "./session-option.ts";
import { tellEnd } from "./wait-command.ts";

/** A turn to be queued from the command line. */
export interface QueuedRunRequest
  extends
    Omit<TurnWish, "sessionId">,
    Pick<GuardedWorkspace, "trustWorkspace" | "trustUnpinned" | "allowRun"> {
  /** As it was named. */
  readonly session: string | undefined;
  readonly json: boolean;
}

/** Queues a turn in this folder and follows it to its end. Ctrl-C ends the following alone. */
export async function runQueued(request: QueuedRunRequest, context: CommandContext): Promise<ExitCode> {
  const { env, directory, interrupt } = context;
  const { signal } = interrupt;
  const state = await openHostState({ env, directory, signal });
  try {
    const queue = await openQueue(state, { report: warn });
    try {
      return await queueAndFollow({ state, queue }, request, context);
    } finally {
      await queue.close();
    }
  } finally {
    await state.close();
  }
}

interface QueuedPlace {
  readonly state: HostState;
  readonly queue: TurnQueue;
}

async function queueAndFollow(
  { state, queue }: QueuedPlace,
  request: QueuedRunRequest,
  { env, directory, interrupt }: CommandContext,
): Promise<ExitCode> {
  const { signal } = interrupt;
  const { session: name, json, prompt } = request;
  const found =
    name === undefined
      ? undefined
      : await findSessionToRun(state.store, { name, needsWork: prompt === undefined });
  const dataDir = dataDirectory(env);
  const workspace = await openGuardedWorkspace({
    ...request,
    env,
    directory,
    dataDir,
    ephemeral: false,
    signal,
  });
  try {
    const fit = await turnFit(workspace, { configDir: configDirectory(env), dataDir, env, signal });
    const turn = await queueTurn({ queue, state, workspace, fit }, { ...request, sessionId: found?.id });
    progress(paint.dim(`queued as ${turn.id} of session ${turn.sessionId}; Ctrl-C ends the following alone`));
    const show = renderEvents({ json, session: turn.sessionId, typed: false });
    let end: RunFinished | undefined;
    for await (const event of followTurn({ state, queue, turn, signal })) {
      show(event);
      if (event.type === "run_finished") end = event;
    }
    const place = { session: turn.sessionId, run: turn.id };
    if (end !== undefined) return await tellEnd(state, { place, end, silent: json || process.stdout.isTTY });
    const { state: standing = "forgotten", reason } = (await queue.get(turn.id)) ?? {};
    complain(reason ?? `the turn is ${standing}`);
    return standing === "cancelled" ? exitCode.interrupted : exitCode.failed;
  } finally {
    await workspace.close();
  }
}
