import { allowAll, denyAll } from "@basis/approval";
import { EditorApprover } from "../../acp/editor-approver.ts";
import { serveAcp } from "../../acp/serve-acp.ts";
import { dataDirectory, openDataDirectory } from "../../config/data-dir.ts";
import { startStage } from "../../config/start-error.ts";
import { parkAll } from "../arguments/approve-option.ts";
import type { CommandContext } from "../arguments/command.ts";
import { exitCode, type ExitCode } from "../terminal/exit-code.ts";
import { openGuardedWorkspace } from "../open-guarded-workspace.ts";
import { nameSurvivors } from "../name-survivors.ts";
import { openAnswering, openHostState, startRuntime, type HostRequest } from "../open-host.ts";
import { complain } from "../terminal/output-format.ts";

/** What `basis serve --acp` was called with. */
export interface EditorServing {
  readonly model: string | undefined;
  readonly approve: "ask" | "park" | "never" | "always";
  readonly allowRun: boolean;
  readonly ephemeral: boolean;
  readonly unstable: boolean;
  readonly clientServers: boolean;
  readonly trustUnpinned: boolean;
  readonly compactAt: number | undefined;
}

/** How often a server that runs on looks after the store. */
const TEND_MS = 10 * 60_000;

/**
 * Serves an editor over standard input and output. No folder is opened before the editor names one.
 *
 * @throws StartError
 */
export async function serveEditor(given: EditorServing, context: CommandContext): Promise<ExitCode> {
  const { env, interrupt } = context;
  const editor = new EditorApprover();
  const approver = { ask: editor, park: parkAll, never: denyAll, always: allowAll }[given.approve];
  const request: HostRequest = {
    ...context,
    ...given,
    approver,
    trustWorkspace: false,
    session: undefined,
    output: undefined,
    signal: interrupt.signal,
  };
  const state = await openHostState({ ...request, directory: undefined });
  const { models } = await openAnswering(request).catch(async (error: unknown) => {
    await state.close();
    throw error;
  });
  const runtime = startRuntime(request, { state, models });
  const tend = (): void => void runtime.tend().catch(() => undefined);
  const tending = given.ephemeral ? undefined : setInterval(tend, TEND_MS).unref();
  const ending = new AbortController();
  interrupt.instead(() => ending.abort());
  try {
    const endedBy = await serveAcp({
      runtime,
      approver: editor,
      unstable: given.unstable,
      env,
      trust: { allowed: given.clientServers, unpinned: given.trustUnpinned },
      openWorkspace: (directory, signal) => openFolder(request, directory, signal),
      input: process.stdin,
      output: process.stdout,
      signal: ending.signal,
      onClientGone: () => interrupt.ask(),
      report: (method, error) =>
        complain(`${method}: ${error instanceof Error ? error.stack : String(error)}`),
    });
    return endedBy === "client" ? exitCode.ok : exitCode.interrupted;
  } finally {
    clearInterval(tending);
    await runtime.close();
    await nameSurvivors();
    process.stdin.destroy();
  }
}

/** A folder must not hold the state of the host, as with a folder that a command is started in. */
async function openFolder(request: HostRequest, directory: string, signal: AbortSignal) {
  const dataDir = dataDirectory(request.env);
  if (!request.ephemeral) await startStage("data_directory", () => openDataDirectory(dataDir, directory));
  return openGuardedWorkspace({ ...request, directory, dataDir, signal, trustUnpinned: false });
}
