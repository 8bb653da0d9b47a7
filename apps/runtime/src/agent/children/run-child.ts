import { newId, type ModelInfo, type RunOutcome, type RunReport } from "@basis/core";
import { childSystemText, type DelegationLimits } from "@basis/child-policy";
import { delegationResult } from "@basis/child-policy/results";
import type { Model } from "../../providers/model.ts";
import { isModelError } from "../../providers/model-error.ts";
import type { ModelSource } from "../../providers/model-source.ts";
import { ToolFailure, type Tool, type ToolOutcome } from "../../tools/tool.ts";
import { definitionsFor } from "../model/build-request.ts";
import { endOfChild } from "./ended-child.ts";
import { plainDirector } from "../turn/plain-director.ts";
import type { AgentSetup, RunContext } from "../run/run-context.ts";
import { RunUsage } from "../run/run-usage.ts";
import { runTurn, type Turn, type TurnPorts } from "../turn/run-turn.ts";
import type { Delegation } from "./spawn-tool.ts";
import { ChildWaitsError, keepWaitingChild } from "./waiting-child.ts";

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
 * Runs a child in a session of its own, under its parent's deadline, token pool and cancellation, and answers with
 * its last message; one that waited for an approval goes on in its session. What it used is its parent's too, also
 * when it fails.
 *
 * @throws ChildWaitsError when the child's turn waits for an approval.
 */
export async function runChild(
  delegation: Delegation,
  signal: AbortSignal,
  ports: ChildPorts,
): Promise<ToolOutcome> {
  const { parent, plan, facts } = delegation;
  const { waiting } = facts;
  const name = waiting?.name ?? ports.nameChild(delegation);
  const childAgentId = waiting?.agentId ?? `${parent.agent.agentId}/${name}-${newId().slice(-6)}`;
  const model = plan.model ? openModel(ports.models, plan.model) : parent.agent.model;
  const goesOn = waiting !== undefined;
  const entry = { runId: parent.scope.run, parentAgentId: parent.agent.agentId, childAgentId, goesOn };
  return ports.limits.withChild(
    entry,
    async ({ depth }) => {
      if (!goesOn) await parent.bounds.countChild();
      const member = childAgentId.replaceAll("/", ".");
      const sessionId =
        waiting?.sessionId ?? (await beginSession(delegation, { member, name, signal }, ports));
      return runInSession(delegation, { name, childAgentId, member, model, depth, sessionId, signal }, ports);
    },
    { signal },
  );
}

/** A session for a child that begins. */
async function beginSession(
  { parent, facts }: Delegation,
  { member, name, signal }: Pick<ChildSeat, "member" | "name" | "signal">,
  { turn }: ChildPorts,
): Promise<string> {
  const { session: sessionId, run: runId } = parent.scope;
  const spawnedBy = { sessionId, runId, callId: facts.toolCallId };
  return (await turn.store.createSession({ member, role: name, spawnedBy, signal })).id;
}

/** A model that cannot be opened fails the call in words that name it. */
function openModel(models: ModelSource, ref: ModelInfo): Model {
  try {
    return models.open(ref);
  } catch (error) {
    if (isModelError(error)) throw new ToolFailure(`the child's model cannot be used: ${error.message}`);
    throw error;
  }
}

interface ChildSeat {
  readonly name: string;
  readonly childAgentId: string;
  readonly member: string;
  readonly model: Model;
  readonly depth: number;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

async function runInSession(
  delegation: Delegation,
  seat: ChildSeat,
  ports: ChildPorts,
): Promise<ToolOutcome> {
  const { parent, facts } = delegation;
  const call = { call_key: facts.callKey, tool_call_id: facts.toolCallId, tool_name: "spawn" };
  const child = { ...call, child_session: seat.sessionId, agent: seat.name };
  const { provider, id } = seat.model.ref;
  parent.emit("child_started", { ...child, model: { provider, id } });
  let status: RunOutcome = "failed";
  let usage = new RunUsage();
  try {
    const said = facts.waiting && (await endOfChild(ports.turn.store, seat.sessionId));
    if (said !== undefined) {
      status = "completed";
      return delegationResult({ text: said });
    }
    const finished = await runTurn(childTurn(delegation, seat, ports), ports.turn);
    ({ usage } = finished);
    status = finished.report.outcome;
    if (status === "parked") await wait(delegation, seat, { ports, approvalId: finished.report.approvalId! });
    return delegationResult(endOf(finished.report));
  } finally {
    parent.usage.addChild(usage);
    parent.emit("child_finished", { ...child, status, usage: usage.toEvent() });
  }
}

/** Keeps where the call is to go on. Where that fails, the child is found by the question it asked: it waits all the same. */
async function wait(
  { parent, plan, facts }: Delegation,
  { sessionId, childAgentId: agentId, name }: ChildSeat,
  { ports, approvalId }: { readonly ports: ChildPorts; readonly approvalId: string },
): Promise<never> {
  const child = { sessionId, agentId, name, planDigest: plan.digest, approvalId };
  const waits = { sessionId: parent.scope.session, callKey: facts.callKey, child };
  await keepWaitingChild(parent.writer, ports.turn.store, waits).catch(() => undefined);
  throw new ChildWaitsError(approvalId);
}

function childTurn({ parent, plan, task, facts }: Delegation, seat: ChildSeat, ports: ChildPorts): Turn {
  let own: RunContext | undefined;
  const every = ports.toolsFor(() => own!);
  const tools = new Map([...every].filter(([tool]) => plan.roster.allows(tool)));
  const ownSystem = plan.system ?? parent.agent.ownSystem;
  const agent: AgentSetup = {
    name: seat.name,
    agentId: seat.childAgentId,
    parentAgentId: parent.agent.agentId,
    depth: seat.depth,
    member: seat.member,
    model: seat.model,
    system: childSystemText(ownSystem),
    ownSystem,
    tools,
  };
  return {
    agent,
    sessionId: seat.sessionId,
    root: parent.root,
    prompt: facts.waiting === undefined ? task : undefined,
    director: (roundPorts) => plainDirector(definitionsFor(agent), roundPorts),
    openBounds: () => ({ bounds: parent.bounds.forChild(), release: () => undefined }),
    signals: [seat.signal],
    parent: { session: parent.scope.session, run: parent.scope.run, call_id: facts.toolCallId },
    traced: parent.trace?.below(facts.callKey),
    started: ports.started,
    bind: (run) => {
      own = run;
    },
  };
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
