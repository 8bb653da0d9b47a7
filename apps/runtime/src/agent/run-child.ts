import { newId, type RunReport } from "@basis/core";
import { childSystemText, type DelegationLimits } from "@basis/child-policy";
import { delegationResult } from "@basis/child-policy/results";
import type { Model } from "../providers/model.ts";
import type { ModelSource } from "../providers/model-source.ts";
import type { Tool, ToolOutcome } from "../tools/tool.ts";
import { toolDefinitions } from "./build-request.ts";
import { plainDirector } from "./plain-director.ts";
import type { AgentSetup, RunContext } from "./run-context.ts";
import { runTurn, type Turn, type TurnPorts } from "./run-turn.ts";
import type { Delegation } from "./spawn-tool.ts";

/** What starting a child needs. */
export interface ChildPorts {
  readonly turn: TurnPorts;
  readonly limits: DelegationLimits;
  readonly models: ModelSource;
  /** The child's part, for a person to read. */
  readonly nameChild: (delegation: Delegation) => string;
  /** Every tool of an agent; `run` is asked only once the agent runs. */
  readonly toolsFor: (run: () => RunContext) => ReadonlyMap<string, Tool>;
  readonly started: Turn["started"];
}

/**
 * Runs a child in a session of its own, under its parent's deadline, token counter and cancellation, and answers with
 * its last message. What it used is its parent's too, also when it fails.
 */
export async function runChild(
  delegation: Delegation,
  signal: AbortSignal,
  ports: ChildPorts,
): Promise<ToolOutcome> {
  const { parent, facts } = delegation;
  const name = ports.nameChild(delegation);
  const childAgentId = `${parent.agent.agentId}/${name}-${newId().slice(-6)}`;
  const entry = { runId: parent.scope.run, parentAgentId: parent.agent.agentId, childAgentId };
  return ports.limits.withChild(
    entry,
    async ({ depth }) => {
      const member = childAgentId.replaceAll("/", ".");
      const spawnedBy = {
        sessionId: parent.scope.session,
        runId: parent.scope.run,
        callId: facts.toolCallId,
      };
      const { id } = await ports.turn.store.createSession({ member, role: name, spawnedBy, signal });
      return runInSession(delegation, { name, childAgentId, member, depth, sessionId: id, signal }, ports);
    },
    { signal },
  );
}

interface ChildSeat {
  readonly name: string;
  readonly childAgentId: string;
  readonly member: string;
  readonly depth: number;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

async function runInSession(
  { parent, plan, task, facts }: Delegation,
  seat: ChildSeat,
  ports: ChildPorts,
): Promise<ToolOutcome> {
  const model: Model = plan.model ? ports.models.open(plan.model) : parent.agent.model;
  let own: RunContext | undefined;
  const every = ports.toolsFor(() => own!);
  const tools = new Map([...every].filter(([tool]) => plan.roster.allows(tool)));
  const agent: AgentSetup = {
    name: seat.name,
    agentId: seat.childAgentId,
    parentAgentId: parent.agent.agentId,
    depth: seat.depth,
    member: seat.member,
    model,
    system: childSystemText(plan.system ?? parent.agent.system),
    tools,
  };
  const call = { call_key: facts.callKey, tool_call_id: facts.toolCallId, tool_name: "spawn" };
  const { provider, id } = model.ref;
  parent.emit("child_started", {
    ...call,
    child_session: seat.sessionId,
    agent: seat.name,
    model: { provider, id },
  });
  const finished = await runTurn(
    {
      agent,
      sessionId: seat.sessionId,
      root: parent.root,
      prompt: task,
      director: (roundPorts) => plainDirector(toolDefinitions(tools.values()), roundPorts),
      bounds: parent.bounds.forChild(),
      signal: seat.signal,
      parent: { session: parent.scope.session, run: parent.scope.run, call_id: facts.toolCallId },
      started: ports.started,
      bind: (run) => {
        own = run;
      },
    },
    ports.turn,
  );
  parent.usage.addChild(finished.usage);
  const { outcome } = finished.report;
  const usage = finished.usage.toEvent();
  parent.emit("child_finished", {
    ...call,
    child_session: seat.sessionId,
    agent: seat.name,
    status: outcome,
    usage,
  });
  return delegationResult(endOf(finished.report));
}

function endOf(report: RunReport): { text?: string; failure?: string } {
  const text = report.text ?? "";
  switch (report.outcome) {
    case "completed":
      return { text };
    case "failed":
      return { failure: report.failure instanceof Error ? report.failure.message : String(report.failure) };
    case "stopped":
      return {
        failure: `it was stopped by ${report.stoppedBy ?? "its bounds"}${text ? `; it had said: ${text}` : ""}`,
      };
    case "parked":
      return { failure: `it waits for approval ${report.approvalId ?? ""}` };
    case "cancelled":
      return { failure: "it was cancelled" };
  }
}
