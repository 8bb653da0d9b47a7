import type { Approver } from "@basis/approval";
import { formatModelRef, type ModelRef } from "@basis/core";
import type { OutputSpec } from "@basis/typed-output";
import { isSessionError, type SessionRecord } from "@mobkit/session";
import { isSqliteStoreError } from "@mobkit/session-sqlite";
import { dataDirectory, openDataDirectory } from "../config/data-dir.ts";
import { databasePlace } from "../config/store-place.ts";
import { StartError, startStage, startTogether } from "../config/start-error.ts";
import { createRuntime, type Runtime } from "../compose.ts";
import { runPersona } from "../host/run-persona.ts";
import type { LiveWorkspace } from "../host/live-workspace.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import type { CassetteRecorder } from "../providers/cassette/cassette-recorder.ts";
import { defaultModelName } from "../providers/default-model.ts";
import { openModelSource, type ModelSource } from "../providers/model-source.ts";
import { isPlayed } from "../providers/played-model.ts";
import { traceOptions } from "../telemetry/trace-options.ts";
import { limitsFor, openDatabase } from "../store/open-database.ts";
import { memoryState, openState, type HostState } from "../store/open-state.ts";
import { compactAtOf } from "./arguments/compact-at-option.ts";
import type { CommandContext } from "./arguments/command.ts";
import type { ExitCode } from "./terminal/exit-code.ts";
import { openGuardedWorkspace } from "./open-guarded-workspace.ts";
import { nameSurvivors } from "./name-survivors.ts";
import { loadOutputSpec } from "./arguments/output-option.ts";
import { findSessionToRun, type SessionChoice } from "./arguments/session-option.ts";

/** What every command that runs an agent is told. */
export interface HostRequest extends Pick<CommandContext, "env" | "directory"> {
  readonly model: string | undefined;
  readonly ephemeral: boolean;
  readonly trustWorkspace: boolean;
  readonly trustUnpinned: boolean;
  readonly allowRun: boolean;
  readonly approver: Approver;
  readonly session: SessionChoice | undefined;
  /** The agent of the workspace that the run is. */
  readonly agent?: string | undefined;
  /** Stands for what `model` would open. */
  readonly models?: ModelSource | undefined;
  /** Records what the models are asked and answer. */
  readonly recorder?: CassetteRecorder | undefined;
  readonly output: { readonly file: string; readonly withTools: boolean } | undefined;
  /** How long the leases of its sessions last that are not renewed. */
  readonly leaseMs?: number | undefined;
  /** `--compact-at`; absent: as the environment says. */
  readonly compactAt?: number | undefined;
  readonly signal: AbortSignal;
}

/** An open host, and what this command runs in it. */
export interface Host {
  readonly runtime: Runtime;
  readonly state: HostState;
  readonly workspace: LiveWorkspace;
  /** As it was when this process began. */
  readonly facts: WorkspaceFacts;
  /** The session to go on in; absent: a new one. */
  readonly session: SessionRecord | undefined;
  readonly spec: OutputSpec<unknown> | undefined;
  close(): Promise<void>;
}

/**
 * Opens everything in the order in which failures are reported: data directory and store, session, workspace files,
 * trust, schema and script, provider and key. Nothing is asked of a model before all of it stands.
 *
 * @throws StartError
 */
export async function openHost(request: HostRequest): Promise<Host> {
  const { signal } = request;
  const state = await openHostState(request);
  let workspace: LiveWorkspace | undefined;
  try {
    const session = request.session && (await findSessionToRun(state.store, request.session));
    const live = (workspace = await openGuardedWorkspace({
      ...request,
      dataDir: dataDirectory(request.env),
    }));
    const { facts } = live;
    const persona = await runPersona(state.store, facts.agents, { agent: request.agent, session });
    const { spec, models } = request.models
      ? { spec: undefined, models: request.models }
      : await openAnswering(request, persona?.spec.model);
    signal.throwIfAborted();
    const runtime = startRuntime(request, { state, models });
    const close = async (): Promise<void> => {
      await live.close();
      await runtime.close();
      await nameSurvivors();
    };
    return { runtime, state, workspace: live, facts, session, spec, close };
  } catch (error) {
    await workspace?.close();
    await state.close();
    throw signal.aborted ? signal.reason : error;
  }
}

/** Composes what was opened, and begins to look after the store. */
export function startRuntime(
  { approver, ephemeral, env, recorder, leaseMs, compactAt: given }: HostRequest,
  { state, models }: { readonly state: HostState; readonly models: ModelSource },
): Runtime {
  const recorded = recorder?.record(models) ?? models;
  const compactAt = compactAtOf(given, env);
  const telemetry = traceOptions(env);
  const runtime = createRuntime({ state, models: recorded, approver, leaseMs, compactAt, telemetry });
  // Beside the run, and not its concern: what it could not do now, the next run does.
  if (!ephemeral) runtime.tend().catch(() => undefined);
  return runtime;
}

/** Opens the state alone; without a directory no folder is worked in yet. */
export async function openHostState(
  request: Pick<HostRequest, "env" | "signal" | "leaseMs"> & {
    readonly directory?: string | undefined;
    readonly ephemeral?: boolean;
  },
): Promise<HostState> {
  const { env, directory, signal, leaseMs } = request;
  if (request.ephemeral) return memoryState();
  const dataDir = await startStage("data_directory", () => openDataDirectory(dataDirectory(env), directory));
  const database = databasePlace(env);
  if (database !== undefined)
    return wholeState(
      await openDatabase(database, {
        signal,
        limits: leaseMs === undefined ? undefined : limitsFor(leaseMs),
      }),
      database.name,
    );
  try {
    return await wholeState(await openState(dataDir, { signal }), dataDir);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StartError) throw error;
    throw new StartError(
      "store",
      [`the store in ${dataDir}: ${(error as Error).message}`, remedyOf(error)],
      error,
    );
  }
}

/** Refuses what a move has not ended to fill. */
async function wholeState(state: HostState, name: string): Promise<HostState> {
  const source = await state.tables?.movedFrom();
  if (source === undefined) return state;
  await state.close();
  throw new StartError("store", [
    `${name} holds a part of ${source}: moving it has not ended`,
    `end it with: basis store migrate ${source} --to ${name} (places as they were given), or empty ${name}`,
  ]);
}

/** What to do about a store that does not open; nothing in it was changed. */
function remedyOf(error: unknown): string {
  if (isSessionError(error, "busy")) return "another process is writing to it; try again";
  if (isSessionError(error, "store_newer"))
    return "use that later version, or set BASIS_DATA_DIR to another directory; nothing was changed";
  if (isSessionError(error, "store_unavailable"))
    return "see that its file system has room and its files can be written (basis doctor names what cannot), or set BASIS_DATA_DIR to another directory";
  if (isSessionError(error, "store_corrupt"))
    return "restore a backup of it, or move it away with its -wal and -shm; nothing was changed";
  if (isSqliteStoreError(error, "driver_missing")) return "what needs no store runs with --ephemeral";
  if (isSqliteStoreError(error, "in_use")) return "end that process first; nothing was changed";
  if (isSqliteStoreError(error, "foreign_host"))
    return "end it there, or set BASIS_DATA_DIR to another directory; nothing was changed";
  return "move the file away, or set BASIS_DATA_DIR to another directory; nothing was changed";
}

/** For commands that only look: opens the state, and closes it whatever comes. */
export async function withState(
  { env, directory, interrupt }: CommandContext,
  work: (state: HostState) => Promise<ExitCode>,
): Promise<ExitCode> {
  const state = await openHostState({ env, directory, signal: interrupt.signal });
  try {
    return await work(state);
  } finally {
    await state.close();
  }
}

/** The model that was named, or that of the agent; a script in the environment plays that one too. */
function modelName({ model, env }: HostRequest, personal: ModelRef | undefined): string | undefined {
  const told = env["BASIS_MODEL"] || undefined;
  const own = personal === undefined || isPlayed(told) ? undefined : formatModelRef(personal);
  return model ?? own ?? told ?? defaultModelName(env);
}

/** What answers, and in which form: schema and scripted file are one stage, provider and key the next. */
export async function openAnswering(
  request: HostRequest,
  personal?: ModelRef,
): Promise<{ readonly spec: OutputSpec<unknown> | undefined; readonly models: ModelSource }> {
  const { output, directory, env, signal } = request;
  const name = modelName(request, personal);
  const schema = output && loadOutputSpec({ ...output, directory });
  if (isPlayed(name)) {
    const script = startStage("script", () => openModelSource(name, { env, cwd: directory, signal }));
    const [spec, models] = await startTogether(Promise.resolve(schema), script);
    return { spec, models };
  }
  const spec = await schema;
  if (name === undefined) {
    throw new StartError("provider", [
      "no model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or name one with --model PROVIDER/MODEL",
      "without a key, see everything at work with: basis demo",
    ]);
  }
  return {
    spec,
    models: await startStage("provider", () => openModelSource(name, { env, cwd: directory, signal })),
  };
}
