import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock, JsonObject, RunReport } from "@basis/core";
import type { Interceptor } from "@basis/hooks";
import type { TrustMode } from "@basis/hooks/node";
import { onTestFinished } from "vitest";
import { createRuntime, type Runtime, type RuntimeOptions } from "../../src/compose.ts";
import type { RunRequest } from "../../src/host/prepare-run.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../../src/host/workspace.ts";
import type { PromptInput } from "../../src/images/prompt.ts";
import type { Model, ModelMessage } from "../../src/providers/model.ts";
import type { ScriptedModelOptions } from "../../src/providers/scripted-model.ts";
import type { HostStore } from "../../src/store/host-store.ts";
import { memoryState, openState, type HostState, type StateOptions } from "../../src/store/open-state.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { checkSessions, EventRecord } from "./event-record.ts";
import { hasDatabase, openDatabaseState, type DatabaseWay } from "./database-state.ts";
import { RecordingApprover } from "./recording-approver.ts";
import { ScriptedSource, type OnRequest, type ScriptedAgents } from "./scripted-source.ts";

/** Where a host keeps its state. */
export type StateKind = "memory" | "sqlite" | "postgres";

/** For `describe.each`: the same suites in this project and, on a database, in the project "postgres". */
export const stateKinds: readonly StateKind[] = hasDatabase ? ["postgres"] : ["memory", "sqlite"];

/** For what outlives a process: files in this project and, in the project "postgres", a database. */
export const keptKind: StateKind = hasDatabase ? "postgres" : "sqlite";

/** What a test host is made of; everything has a default. */
export interface TestHostOptions extends Omit<
  Partial<RuntimeOptions>,
  "state" | "models" | "approver" | "clock"
> {
  readonly state?: StateKind | undefined;
  readonly agents?: ScriptedAgents | undefined;
  readonly scripted?: ScriptedModelOptions | undefined;
  readonly onRequest?: OnRequest | undefined;
  /** In place of the script. */
  readonly model?: Model | undefined;
  readonly approver?: RecordingApprover | undefined;
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Beside the built-in ones, or in place of those of the same name. */
  readonly tools?: readonly Tool[] | undefined;
  readonly allowCommands?: boolean | undefined;
  /** What becomes of the workspace's own servers and tools. Default `refuse`. */
  readonly trust?: TrustMode | undefined;
  readonly trustFile?: string | undefined;
  /** Beside PATH, HOME and a canary. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Files of the workspace by path. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly clock?: Clock | undefined;
  readonly driver?: StateOptions["driver"];
  readonly busyTimeoutMs?: StateOptions["busyTimeoutMs"];
  /** Another way to the database than straight. */
  readonly database?: DatabaseWay | undefined;
  /** Puts another store in place of the state's own. */
  readonly wrapStore?: ((store: HostStore) => HostStore) | undefined;
  /** Goes on with the directories of a host that was closed. */
  readonly after?: TestHost | undefined;
}

/** A host over a workspace of its own, and everything that a test wants to see of it. */
export interface TestHost {
  readonly runtime: Runtime;
  readonly state: HostState;
  readonly facts: WorkspaceFacts;
  readonly models: ScriptedSource;
  readonly approver: RecordingApprover;
  readonly events: EventRecord;
  readonly root: string;
  readonly dataDir: string;
  /** Runs one turn; answers its report. */
  run(prompt?: PromptInput, request?: RunRequest): Promise<RunReport>;
  /** The transcript of a session. */
  transcript(sessionId: string): Promise<readonly ModelMessage[]>;
  /** Checks and closes it; done at the test's end unless it was done before. */
  close(): Promise<void>;
}

/** Opens a host; the test's end checks its logs and transcripts, and closes it. */
export async function openTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const { clock, after, state: kind = "memory", agents = {}, model, ...rest } = options;
  const places = after ?? layOut(options.files ?? {});
  const { root, dataDir } = places;
  const { onRequest } = options;
  const models = new ScriptedSource(agents, { ...options.scripted, ...(onRequest && { onRequest }) });
  const source =
    model === undefined ? models : Object.assign(Object.create(models), { main: models.watch(model) });
  const opened = await openKind(kind, dataDir, options);
  const state = { ...opened, store: options.wrapStore?.(opened.store) ?? opened.store };
  const events = new EventRecord();
  state.events.listen(events.hear);
  const facts = await openFacts(options, root);
  const approver = options.approver ?? new RecordingApprover();
  const runtime = createRuntime({ ...rest, state, models: source as ScriptedSource, approver, clock });
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await state.events.flush();
    events.check();
    await checkSessions(state);
    await facts.close();
    await runtime.close();
  };
  onTestFinished(close);
  const run: TestHost["run"] = async (prompt, request) => (await runtime.prepare(facts, request)).run(prompt);
  const transcript: TestHost["transcript"] = (sessionId) => readTranscript(state, sessionId);
  return { runtime, state, facts, models, approver, events, root, dataDir, run, transcript, close };
}

function layOut(files: Readonly<Record<string, string>>): { root: string; dataDir: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "basis-host-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "workspace");
  const dataDir = join(base, "data");
  for (const directory of [root, dataDir, join(base, "config")]) mkdirSync(directory, { mode: 0o700 });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return { root, dataDir };
}

function openKind(
  kind: StateKind,
  dataDir: string,
  options: TestHostOptions,
): Promise<HostState> | HostState {
  const { clock, driver, busyTimeoutMs } = options;
  switch (kind) {
    case "memory":
      return memoryState({ clock });
    case "sqlite":
      return openState(dataDir, { clock, driver, busyTimeoutMs });
    case "postgres":
      return openDatabaseState(dataDir, { clock, ...options.database });
  }
}

/** The workspace with its guards. */
export async function openFacts(options: TestHostOptions, root: string): Promise<WorkspaceFacts> {
  const { interceptors, allowCommands, tools = [], trust, trustFile } = options;
  const facts = await openWorkspaceFacts({
    directory: root,
    configDir: join(dirname(root), "config"),
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      BASIS_TEST_CANARY: "canary",
      ...options.env,
    },
    interceptors,
    allowCommands,
    trust,
    trustFile,
    report: () => undefined,
  });
  const every = new Map<string, Tool>([...facts.tools, ...tools.map((tool) => [tool.name, tool] as const)]);
  return { ...facts, tools: every };
}

async function readTranscript(state: HostState, sessionId: string): Promise<readonly ModelMessage[]> {
  const messages: ModelMessage[] = [];
  for await (const { body } of state.store.read(sessionId)) messages.push(body);
  return messages;
}

/** A round that makes calls. */
export function calls(...made: readonly { name: string; input: unknown; id?: string }[]): {
  calls: { name: string; input: JsonObject; id?: string }[];
} {
  return { calls: made.map((call) => ({ ...call, input: call.input as JsonObject })) };
}

/** The results of a session's calls as the model reads them, by call id. */
export function resultsOf(messages: readonly ModelMessage[]): Readonly<Record<string, unknown>> {
  const parts = messages.flatMap((message) => (message.role === "tool" ? message.content : []));
  return Object.fromEntries(parts.map(({ toolCallId, output }) => [toolCallId, output]));
}
