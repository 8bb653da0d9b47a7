import { hostname } from "node:os";
import { newId } from "@basis/core";
import { allowAll, denyAll } from "@basis/approval";
import { refuseAgents } from "../../approvals/lineage.ts";
import { configDirectory, dataDirectory } from "../../config/data-dir.ts";
import { statusInWords, type ServerStatus } from "../../mcp/server-state.ts";
import { steadyTools } from "../../mcp/server-tools.ts";
import { HandBackError } from "../../agent/turn/run-end.ts";
import { StartError } from "../../config/start-error.ts";
import { openQueue, queueRefusal } from "../../queue/open-queue.ts";
import { turnFit } from "../../queue/turn-fit.ts";
import { TurnWorker } from "../../queue/turn-worker.ts";
import type { TurnQueue } from "../../queue/turn-queue.ts";
import { parkAll } from "../arguments/approve-option.ts";
import { compactAtOption } from "../arguments/compact-at-option.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { modelOption } from "../arguments/model-option.ts";
import { openHost, type Host } from "../open-host.ts";
import { choice, count, duration, flag } from "../arguments/option.ts";
import { progress, warn } from "../terminal/output-format.ts";

const options = {
  concurrency: count(
    1,
    "most turns at once; default 4. What is claimed at once follows the worker started last",
  ),
  drain: duration(
    "on TERM or Ctrl-C, how long running turns may take to end; then others go on with them; default 30s",
  ),
  lease: duration("how long a session stays this worker's when it dies or freezes; default 15s"),
  model: modelOption,
  approve: choice(
    ["park", "never", "always"],
    "what becomes of calls that change something: they wait for an answer (default), are refused, or run. Refusals by rules and hooks stand under every mode",
  ),
  "compact-at": compactAtOption,
  "allow-run": flag("offer the tool run and the commands of spawn, which start programs"),
  "trust-workspace": flag(
    "let this folder's hooks, MCP servers and declared tools run, and remember it for these entries and scripts",
  ),
  "trust-unpinned": flag("with --trust-workspace: those too whose code is in no file, as of npx or sh -c"),
};

const DEFAULTS = { concurrency: 4, drainMs: 30_000, leaseMs: 15_000 } as const;
const SHORTEST_LEASE_MS = 2_000;
const LONGEST_LEASE_MS = 600_000;
/** Its turns were queued for what it has read (ADR 0048), so that it reads nothing else. */
const STALE =
  "this worker goes on with what it read when it began, and takes only turns that were queued with that; start another, and end this one";
/** Beyond the drain, for putting turns back and closing. */
const CLOSING_MS = 10_000;

/** `basis worker`. */
export const workerCommand: Command = defineCommand({
  name: "worker",
  about: "Run turns of this folder from the queue of its store.",
  more: [
    "With BASIS_STORE=postgres://… any number of workers on any machines share a queue; without it, those of this machine do, in the data directory; one at a time runs a session. A turn whose worker has died is gone on with by another, from the last row that was written, when its lease has run out. A worker runs only turns that were queued with its own guards, policy, tools and release, in the same folder; BASIS_WORKSPACE names a folder that lies elsewhere on another machine.",
    "Approvals wait (--approve park, the default) until somebody answers them; then 'basis run --queue --session S' goes on.",
  ],
  options,
  examples: [
    ["basis worker --concurrency 8", "eight turns at once"],
    ['basis run --queue "what is in this folder?"', "a turn for it"],
  ],
  run,
});

type WorkerOptions = Arguments<typeof options>["options"];

const approvers = { park: parkAll, never: denyAll, always: allowAll };

async function run(
  { options: given }: Arguments<typeof options>,
  context: CommandContext,
): Promise<ExitCode> {
  const { lease: leaseMs = DEFAULTS.leaseMs } = given;
  refuse(given, context.env);
  const host = await openHost({
    ...context,
    model: given.model,
    ephemeral: false,
    trustWorkspace: given["trust-workspace"] ?? false,
    trustUnpinned: given["trust-unpinned"] ?? false,
    allowRun: given["allow-run"] ?? false,
    approver: approvers[given.approve ?? "park"],
    session: undefined,
    output: undefined,
    leaseMs,
    compactAt: given["compact-at"],
    signal: context.interrupt.signal,
  });
  try {
    const queue = await openQueue(host.state, { report: warn, leaseMs });
    try {
      return await serve({ host, queue, leaseMs }, given, context);
    } finally {
      await queue.close();
    }
  } finally {
    await host.close();
  }
}

function refuse({ lease, approve, ...given }: WorkerOptions, env: CommandContext["env"]): void {
  const granting = [
    given["trust-workspace"] && "--trust-workspace",
    given["allow-run"] && "--allow-run",
    approve === "always" && "--approve always",
  ].filter((option) => typeof option === "string");
  if (granting.length > 0) refuseAgents(env, granting.join(", "));
  if (lease !== undefined && (lease < SHORTEST_LEASE_MS || lease > LONGEST_LEASE_MS))
    throw new UsageError(["--lease takes 2s to 10m", "see: basis worker --help"]);
}

interface Served {
  readonly host: Host;
  readonly queue: TurnQueue;
  readonly leaseMs: number;
}

async function serve(
  { host, queue, leaseMs }: Served,
  { concurrency = DEFAULTS.concurrency, drain: drainMs = DEFAULTS.drainMs }: WorkerOptions,
  { env, interrupt }: CommandContext,
): Promise<ExitCode> {
  const { runtime, facts } = host;
  const tellOther = (status: ServerStatus): void => progress(`${statusInWords(status)}: ${STALE}`);
  const workspace = { ...facts, servers: steadyTools(facts.servers, tellOther) };
  const place = {
    configDir: configDirectory(env),
    dataDir: dataDirectory(env),
    env,
    signal: interrupt.signal,
  };
  const fit = await turnFit(workspace, place);
  const name = `${hostname()}:${process.pid}:${newId().slice(-8)}`;
  let look = (): void => undefined;
  const ended = new Promise<StartError | undefined>((resolve) => {
    interrupt.instead(() => resolve(undefined), drainMs + CLOSING_MS);
    look = lookOrEnd(host, resolve);
  });
  const worker = new TurnWorker({
    runtime,
    workspace,
    look: () => look(),
    name,
    concurrency,
    fit,
    leaseMs,
    report: progress,
  });
  const serving = await queue.serve(worker).catch((error: unknown) => {
    throw queueRefusal(error);
  });
  progress(`worker ${name} serves ${workspace.root}; Ctrl-C ends it when its turns have ended`);
  const problem = await ended;
  const left = await serving.drain(drainMs);
  progress(left.length === 0 ? "worker ended" : `worker ended; handed back: ${left.join(", ")}`);
  if (problem !== undefined) throw problem;
  return exitCode.ok;
}

/** Looks at the workspace before each turn. When it is gone, the turn goes back to the queue, and the worker ends. */
function lookOrEnd({ workspace }: Host, end: (problem: StartError) => void): () => void {
  return () => {
    try {
      workspace.tellStale(STALE);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      end(error);
      throw new HandBackError();
    }
  };
}
