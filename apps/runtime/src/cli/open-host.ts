import { realpathSync } from "node:fs";
import { isBasisError } from "@basis/core";
import type { Approver } from "@basis/approval";
import { configDirectory, dataDirectory, openDataDirectory, type Environment } from "../config/data-dir.ts";
import { StartError, startStage } from "../config/start-error.ts";
import { workspaceTrust } from "../config/workspace-trust.ts";
import { createRuntime, type Runtime } from "../compose.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../host/workspace.ts";
import { defaultModelName } from "../providers/default-model.ts";
import { openModelSource, type ModelSource } from "../providers/model-source.ts";
import { memoryState, openState, type HostState } from "../store/open-state.ts";
import { paint, progress } from "./output-format.ts";

/** What every command that runs an agent is told. */
export interface HostRequest {
  readonly env: Environment;
  readonly directory: string;
  readonly model?: string | undefined;
  readonly ephemeral?: boolean | undefined;
  readonly trustWorkspace?: boolean | undefined;
  readonly allowRun?: boolean | undefined;
  readonly approver: Approver;
  /** Stages between the workspace and the provider: the output schema. */
  readonly beforeProvider?: (() => Promise<void>) | undefined;
  /** Finds the session before the workspace is looked at. */
  readonly findSession?: ((state: HostState) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

/** An open host and the one workspace of this command. */
export interface Host {
  readonly runtime: Runtime;
  readonly state: HostState;
  readonly facts: WorkspaceFacts;
  close(): Promise<void>;
}

/**
 * Opens everything in the order in which failures are reported: data directory and store, session, workspace files,
 * trust, schema and script, provider and key. Nothing is asked of a model before all of it stands.
 *
 * @throws StartError
 */
export async function openHost(request: HostRequest): Promise<Host> {
  const root = realpathSync(request.directory);
  const state = await openHostState(request, root);
  try {
    await request.findSession?.(state);
    const facts = await openFacts(request, { root, dataDir: dataDirectory(request.env) });
    await request.beforeProvider?.();
    const models = await openModels(request);
    const { approver } = request;
    const runtime = createRuntime({ state, models, approver });
    const close = async (): Promise<void> => {
      await facts.hooks.close();
      await runtime.close();
    };
    return { runtime, state, facts, close };
  } catch (error) {
    await state.close();
    throw error;
  }
}

/** Opens the state alone, for commands that only look. */
export async function openHostState(
  request: Pick<HostRequest, "env" | "ephemeral" | "signal">,
  root: string,
): Promise<HostState> {
  if (request.ephemeral) return memoryState();
  const directory = await startStage("data_directory", () =>
    openDataDirectory(dataDirectory(request.env), root),
  );
  return startStage("store", () => openState(directory, { signal: request.signal }));
}

async function openFacts(
  request: HostRequest,
  { root, dataDir }: { readonly root: string; readonly dataDir: string },
): Promise<WorkspaceFacts> {
  try {
    return await openWorkspaceFacts({
      directory: root,
      configDir: configDirectory(request.env),
      env: request.env,
      ...workspaceTrust({
        dataDir,
        trustWorkspace: request.trustWorkspace ?? false,
        ephemeral: request.ephemeral ?? false,
      }),
      allowCommands: request.allowRun,
      report: warn,
      signal: request.signal,
    });
  } catch (error) {
    const untrusted = isBasisError(error, "HookError") && error.code.startsWith("untrusted");
    throw await startStage(untrusted ? "trust" : "workspace", () => {
      const hint = untrusted
        ? "\nRun it with --trust-workspace if you have read that file and trust it."
        : "";
      throw new Error((error as Error).message + hint, { cause: error });
    }).catch((refusal: unknown) => refusal);
  }
}

async function openModels(request: HostRequest): Promise<ModelSource> {
  const name = request.model ?? request.env["BASIS_MODEL"] ?? defaultModelName(request.env);
  if (name === undefined) {
    throw new StartError("provider", [
      "no model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or name one with --model PROVIDER/MODEL",
    ]);
  }
  const stage = name.startsWith("scripted:") ? "script" : "provider";
  return startStage(stage, () =>
    openModelSource(name, { env: request.env, cwd: request.directory, signal: request.signal }),
  );
}

function warn(text: string): void {
  progress(`${paint.yellow("!")} ${text}`);
}
