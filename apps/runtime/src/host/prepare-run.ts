import type { Clock, ModelRef } from "@basis/core";
import type { ApprovalGate } from "@basis/approval";
import type { AgentFile } from "@basis/child-policy/agents";
import type { ChildPolicy, DelegationLimits, WidenMode } from "@basis/child-policy";
import type { SessionRecord } from "@mobkit/session";
import type { KeptTranscripts } from "../agent/transcript/kept-transcripts.ts";
import { RunBounds, type BoundsOptions } from "../agent/run/run-bounds.ts";
import type { QueuedRun } from "../agent/turn/queued-run.ts";
import type { RunContext } from "../agent/run/run-context.ts";
import type { TurnPorts } from "../agent/turn/run-turn.ts";
import type { Delegation } from "../agent/children/spawn-tool.ts";
import { isTold, type ServerStatus } from "../mcp/server-state.ts";
import type { ServerTools } from "../mcp/server-tools.ts";
import type { ModelSource } from "../providers/model-source.ts";
import type { CancelWatch } from "../agent/turn/cancel-watch.ts";
import type { HostState } from "../store/open-state.ts";
import type { Tracing } from "../telemetry/run-trace.ts";
import { mainAgent } from "./main-agent.ts";
import { MainTurn, type PreparedTurn, type UnaskedTurn } from "./prepared-turn.ts";
import { settleSession } from "./run-persona.ts";
import { startedFacts } from "./started-facts.ts";
import type { WorkspaceFacts } from "./workspace.ts";
import { workspaceTurns } from "./workspace-turns.ts";

/** The parts of a host that runs are minted from. */
export interface HostParts extends Pick<TurnPorts, "leaseMs" | "compactAt"> {
  readonly state: HostState;
  readonly models: ModelSource;
  readonly gate: ApprovalGate;
  readonly clock: Clock;
  readonly cancels: CancelWatch;
  readonly transcripts: KeptTranscripts;
  readonly limits: DelegationLimits;
  /** Most tokens that any tree of runs may use. */
  readonly maxTokens: number;
  /** Default: the agents of the workspace by name; without any, every child is its parent's clone. */
  readonly policy: ChildPolicy | undefined;
  readonly widen: WidenMode;
  /** Default: the agent that the task is for, else `child`. */
  readonly nameChild: ((delegation: Delegation) => string) | undefined;
  /** Asked before each run. */
  readonly tracing: () => Promise<Tracing | undefined>;
}

/** Which session, and within which bounds. */
export interface RunRequest {
  /** Goes on in this session; absent: a new one. */
  readonly sessionId?: string | undefined;
  /** That session, where it has just been read. */
  readonly session?: SessionRecord | undefined;
  /** The agent of the workspace that a new session is begun as. Default: the main one; a session stays who it is. */
  readonly agent?: string | undefined;
  /** True: the model of the process answers, whatever the agent's file names. */
  readonly keepsModel?: boolean | undefined;
  /** The model that answers, whoever names another. */
  readonly model?: ModelRef | undefined;
  /** The name of a new session's member. Default: one that is free. */
  readonly member?: string | undefined;
  readonly bounds?: BoundsOptions | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Why what changed in the workspace is not used; told in the run's log. */
  readonly staleness?: string | undefined;
  /** Handed out by a queue. Its signal may abort with a `HandBackError`. */
  readonly queued?: QueuedRun | undefined;
}

/**
 * Settles session, tools, bounds and signals of one run.
 *
 * @throws StartError `workspace`, `session` as `runPersona`.
 */
export async function prepareRun(
  parts: HostParts,
  facts: WorkspaceFacts,
  request: RunRequest,
): Promise<PreparedTurn> {
  const { store } = parts.state;
  const workspace = withServerTools(facts);
  const { session, persona } = await settleSession(store, workspace.agents, request);
  const member = session.binding?.member ?? session.id;
  const turns = workspaceTurns(parts, workspace);
  const tracing = await parts.tracing();
  const ports = tracing === undefined ? turns.ports : { ...turns.ports, tracing };
  const turn = await mainTurn(parts, workspace, { sessionId: session.id, member, persona, request, ports });
  return new MainTurn(turn, { store, member, request, ports });
}

/** The tools of servers as they are now stay the same for the whole tree of the run; what changes shows in the next. */
function withServerTools(workspace: WorkspaceFacts): WorkspaceFacts {
  const offered = workspace.servers.tools();
  return offered.size === 0 ? workspace : { ...workspace, tools: new Map([...workspace.tools, ...offered]) };
}

interface MainParts {
  readonly sessionId: string;
  readonly member: string;
  readonly persona: AgentFile | undefined;
  readonly request: RunRequest;
  readonly ports: TurnPorts;
}

async function mainTurn(parts: HostParts, workspace: WorkspaceFacts, main: MainParts): Promise<UnaskedTurn> {
  const { sessionId, member, persona, request, ports } = main;
  const { limits, clock, maxTokens, state, models } = parts;
  const started = startedFacts(workspace);
  let own: RunContext | undefined;
  let silence: (() => void) | undefined;
  const every = workspaceTurns(parts, workspace).toolsFor({ ports, started, run: () => own! });
  const seat = { sessionId, member, persona, asked: request, every };
  const agent = await mainAgent({ store: state.store, models }, workspace, seat);
  return {
    agent,
    sessionId,
    queued: request.queued,
    root: workspace.root,
    openBounds: (runId, behind) => ({
      bounds: RunBounds.open(request.bounds ?? {}, { runId, limits, maxTokens, clock, behind }),
      release() {
        silence?.();
        limits.closeRun(runId);
        // Whoever keeps a run that has ended keeps nothing of what it worked with.
        own = silence = undefined;
      },
    }),
    started,
    bind(run) {
      own = run;
      silence = tellServers(run, workspace.servers, request.staleness);
    },
  };
}

/** Tells a run's log how the servers stand, once it has begun, and what becomes of them while it runs. */
function tellServers({ emit }: RunContext, servers: ServerTools, stale: string | undefined): () => void {
  const tell = (status: ServerStatus): void => {
    if (!isTold(status)) return;
    const { server, state, tools, reason, changed } = status;
    const more = { ...(reason && { reason }), ...(changed && { changed: [...changed] }) };
    emit("mcp_server", { server, state, tools: [...tools], ...more });
  };
  let over = false;
  const silence = servers.listen(tell);
  if (stale === undefined && servers.status().length === 0) return silence;
  // A microtask, without what `queueMicrotask` adds for tracing.
  void Promise.resolve().then(() => {
    if (over) return;
    if (stale !== undefined) emit("notice", { code: "not_reloaded", text: stale });
    servers.status().forEach(tell);
  });
  return () => {
    over = true;
    silence();
  };
}
