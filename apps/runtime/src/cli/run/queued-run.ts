import type { SessionRecord } from "@mobkit/session";
import { dataDirectory, configDirectory } from "../../config/data-dir.ts";
import { followTurn } from "../../queue/follow-turn.ts";
import { openQueue } from "../../queue/open-queue.ts";
import { queueTurn, type TurnWish } from "../../queue/queue-turn.ts";
import { turnFit } from "../../queue/turn-fit.ts";
import type { TurnQueue } from "../../queue/turn-queue.ts";
import type { QueuedTurn } from "../../queue/queued-turn.ts";
import { readRunAccount } from "../../runs/run-account.ts";
import type { RunFinished } from "../../runs/run-watch.ts";
import type { HostState } from "../../store/open-state.ts";
import type { CommandContext } from "../arguments/command.ts";
import { exitCode, exitCodeOf, type ExitCode } from "../terminal/exit-code.ts";
import { finishAccount } from "./finish-account.ts";
import { openGuardedWorkspace, type GuardedWorkspace } from "../open-guarded-workspace.ts";
import { openHostState } from "../open-host.ts";
import { complain, paint, progress, warn } from "../terminal/output-format.ts";
import { renderEvents } from "../terminal/render-events.ts";
import { loadOutputSpec, type OutputChoice } from "../arguments/output-option.ts";
import { findSessionToRun, refuseOtherEnd } from "../arguments/session-option.ts";

/** A turn to be queued from the command line. */
export interface QueuedRunRequest
  extends
    Omit<TurnWish, "sessionId" | "session" | "output">,
    Pick<GuardedWorkspace, "trustWorkspace" | "trustUnpinned" | "allowRun"> {
  /** As it was named. */
  readonly session: string | undefined;
  readonly output: Omit<OutputChoice, "directory"> | undefined;
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
  place: QueuedPlace,
  request: QueuedRunRequest,
  context: CommandContext,
): Promise<ExitCode> {
  const { env, directory, interrupt } = context;
  const { signal } = interrupt;
  const { store } = place.state;
  const dataDir = dataDirectory(env);
  const session = await sessionFor(store, request);
  const where = { env, directory, dataDir, ephemeral: false, signal };
  const live = await openGuardedWorkspace({ ...request, ...where });
  const { facts: workspace } = live;
  try {
    const spec = request.output && (await loadOutputSpec({ ...request.output, directory }));
    if (request.prompt === undefined) await refuseOtherEnd(store, { session, spec });
    const fit = await turnFit(workspace, { configDir: configDirectory(env), dataDir, env, signal });
    const wish = { ...request, output: spec, sessionId: session?.id, session };
    return await follow(place, await queueTurn({ ...place, workspace, fit }, wish), { request, signal });
  } finally {
    await live.close();
  }
}

/** The session that was named. @throws StartError, UsageError */
async function sessionFor(
  store: HostState["store"],
  { session: name, prompt }: QueuedRunRequest,
): Promise<SessionRecord | undefined> {
  if (name === undefined) return undefined;
  return findSessionToRun(store, { name, needsWork: prompt === undefined });
}

interface Follow {
  readonly request: QueuedRunRequest;
  readonly signal: AbortSignal;
}

/** Shows the turn's run as it is written, and tells its end as a run here would. */
async function follow(
  { state, queue }: QueuedPlace,
  turn: QueuedTurn,
  { request: { json, output }, signal }: Follow,
): Promise<ExitCode> {
  const { id, sessionId: session } = turn;
  progress(paint.dim(`queued as ${id} of session ${session}; Ctrl-C ends the following alone`));
  const show = renderEvents({ json, session, typed: output !== undefined, live: false });
  let end: RunFinished | undefined;
  for await (const event of followTurn({ state, queue, turn, signal })) {
    show(event);
    if (event.type === "run_finished") end = event;
  }
  if (end === undefined) return tellUnrun(await queue.get(id));
  const { binding } = await state.store.head(session);
  const goOn = { member: binding?.member ?? session, command: "basis run --queue" };
  const account = await readRunAccount(state.events.read(session), end);
  return finishAccount(account, { json, streamed: false, goOn });
}

/** Why there was no run. */
function tellUnrun(turn: QueuedTurn | undefined): ExitCode {
  const { state = "forgotten", reason, outcome } = turn ?? {};
  complain(reason ?? `the turn is ${state}`);
  if (state === "cancelled") return exitCode.interrupted;
  return outcome === undefined ? exitCode.failed : exitCodeOf({ outcome });
}
