import type { AuthorizeOutcome } from "@basis/approval";
import { isBasisError, type JsonValue } from "@basis/core";
import { whenThere, type Later } from "../../events/event-log.ts";
import {
  textOutcome,
  type PreparedCall,
  type Tool,
  type ToolOutcome,
  type WaitingChild,
} from "../../tools/tool.ts";
import type { CompileInputCheck } from "../../tools/input-check.ts";
import { requestToRun, authorizeCall, denyRunningCall, type ReadyCall } from "./authorize-call.ts";
import { CallGuards } from "./call-guards.ts";
import { executeCall, resumeCall } from "./execute-call.ts";
import { freezeJson, type QueuedCall } from "./queued-call.ts";
import type { RunContext } from "../run/run-context.ts";
import { failedOutcome } from "./tool-failure.ts";
import type { TrailRouter } from "./trail-router.ts";
import { ChildWaitsError } from "../children/waiting-child.ts";

/** How often an approver's edit may send a call through the guards again. */
const MAX_EDITS = 3;

/** How a call ended: with a result, or open until somebody answers its approval. */
export type Settled =
  | { readonly state: "result"; readonly outcome: ToolOutcome }
  | { readonly state: "parked"; readonly approvalId: string };

/** What dispatching needs beside the run. */
export interface DispatchPorts {
  readonly trail: TrailRouter;
  readonly inputCheck: CompileInputCheck;
}

/** One call on its way. */
export interface Dispatch {
  readonly run: RunContext;
  readonly call: QueuedCall;
  readonly ports: DispatchPorts;
}

/** The input as it would run, and who else than the model has had a hand in it. */
interface FinalInput {
  readonly input: JsonValue;
  readonly changedBy: string | undefined;
}

/**
 * The one way from a model's call to a tool: guards, schema, plan, approval, intent, tool, guards again.
 * Every refusal is a result that the model can read; a store that fails ends the run instead.
 */
export function dispatchCall(dispatch: Dispatch): Promise<Settled> {
  return dispatch.call.waiting === undefined
    ? settle(dispatch)
    : settleWaiting(dispatch, dispatch.call.waiting);
}

async function settleWaiting(dispatch: Dispatch, { approvalId }: WaitingChild): Promise<Settled> {
  const settled = await settle(dispatch);
  if (settled.state === "result") await closeQuestion(dispatch.run, approvalId);
  return settled;
}

/** The child that asked has ended or does not go on: nobody waits for the answer any more. */
async function closeQuestion({ ledger, clock }: RunContext, approvalId: string): Promise<void> {
  if ((await ledger.approvals.get(approvalId))?.state !== "open") return;
  const reason = "the delegation that it was asked under has ended";
  await ledger.approvals.resolve(approvalId, { decision: "deny", by: "the host", reason, at: clock.now() });
}

async function settle(dispatch: Dispatch): Promise<Settled> {
  const { run, call } = dispatch;
  const tool = run.agent.tools.get(call.toolName);
  if (tool === undefined) return refused(unknownTool(run, call.toolName));
  if (!run.bounds.takeCall()) return refused("not executed: the run's tool budget is used up");
  const guards = new CallGuards(run, call, { tool, trail: dispatch.ports.trail });
  try {
    return await admit(dispatch, tool, guards);
  } catch (error) {
    run.ending.throwIfAborted();
    if (isStoreFailure(error)) throw error;
    if (error instanceof ChildWaitsError) return { state: "parked", approvalId: error.approvalId };
    return result(failedOutcome(run, call, error));
  } finally {
    guards.close();
  }
}

/** Guards, schema, plan and approval; an approver's edit goes through all of them again. */
async function admit(dispatch: Dispatch, tool: Tool, guards: CallGuards): Promise<Settled> {
  const { run, call } = dispatch;
  let edited: { readonly input: JsonValue; readonly by: string } | undefined;
  for (let edits = 0; edits <= MAX_EDITS; edits += 1) {
    const asked = guards.input(edited?.input);
    const guarded = asked instanceof Promise ? await asked : asked;
    if (guarded.decision === "deny") return refused(guarded.reason);
    const { input, rewrittenBy } = guarded;
    const made = makeReady(dispatch, tool, { input, changedBy: rewrittenBy ?? edited?.by });
    const ready = made instanceof Promise ? await made : made;
    if (typeof ready === "string") return refused(ready);
    if (call.waiting !== undefined) return goOn(dispatch, ready, guards);
    const authorized = await authorizeCall(run, call, ready);
    if (authorized.decision === "allow") return result(await executeCall(run, { call, ready, guards }));
    if (authorized.decision !== "edited") return notRun(authorized);
    edited = authorized;
  }
  return refused("Tool execution denied: the approver's edits and the hooks did not settle");
}

/** Schema and plan: the call as it would run, or why it cannot. */
function makeReady(dispatch: Dispatch, tool: Tool, final: FinalInput): Later<ReadyCall | string> {
  const { input } = final;
  return whenThere(problemOf(dispatch, tool, final), (problem) => {
    if (problem !== undefined) return problem;
    dispatch.run.ending.throwIfAborted();
    if (tool.prepare === undefined) return { tool, input, prepared: undefined };
    return prepare(dispatch, tool, input).then((prepared) => ({ tool, input, prepared }));
  });
}

function notRun(told: Extract<AuthorizeOutcome, { decision: "deny" | "parked" }>): Settled {
  return told.decision === "deny" ? refused(told.text) : { state: "parked", approvalId: told.approvalId };
}

function result(outcome: ToolOutcome): Settled {
  return { state: "result", outcome };
}

/** The call was approved and its intent recorded when its child started; it goes on only by the very same plan, and unless a rule denies it by now. */
async function goOn({ run, call }: Dispatch, ready: ReadyCall, guards: CallGuards): Promise<Settled> {
  const { planDigest, approvedDigest } = call.waiting!;
  const request = await requestToRun(run, call, ready);
  const isApproved =
    planDigest === undefined ? request.digest === approvedDigest : ready.prepared?.binding === planDigest;
  if (!isApproved)
    return refused(
      "Tool execution denied: stale_approval: the delegation is no longer the one that was approved",
    );
  const denied = await denyRunningCall(run, call, request);
  if (denied !== undefined) return refused(denied);
  return result(await resumeCall(run, { call, ready, guards }));
}

async function prepare({ run, call }: Dispatch, tool: Tool, input: JsonValue): Promise<PreparedCall> {
  const { callKey, toolCallId, waiting } = call;
  const { agentId } = run.agent;
  const prepared = await tool.prepare!(input, {
    callKey,
    toolCallId,
    agentId,
    waiting,
    signal: run.ending.signal,
  });
  freezeJson(prepared.preview);
  return prepared;
}

/** Why the final input cannot run, if so: it breaks the tool's schema, or was made one that may not run beside others. */
function problemOf({ call, ports }: Dispatch, tool: Tool, final: FinalInput): Later<string | undefined> {
  return whenThere(ports.inputCheck(tool), (check) => inWords(check(final.input), call, { tool, ...final }));
}

function inWords(
  wrong: string | undefined,
  call: QueuedCall,
  { tool, input, changedBy }: FinalInput & { readonly tool: Tool },
): string | undefined {
  if (wrong !== undefined) {
    return changedBy === undefined
      ? `Invalid input for '${tool.name}': ${wrong}`
      : `The call was rewritten by ${changedBy}, and the rewrite is no valid input for '${tool.name}': ${wrong}`;
  }
  if (changedBy !== undefined && tool.parallelSafe(call.input) && !tool.parallelSafe(input))
    return `The call was rewritten by ${changedBy} into one that cannot run beside others; it is not run`;
  return undefined;
}

function isStoreFailure(error: unknown): boolean {
  return isBasisError(error, "SessionError") || isBasisError(error, "SqliteStoreError");
}

function refused(text: string): Settled {
  return result(textOutcome(text, true));
}

function unknownTool(run: RunContext, name: string): string {
  return `there is no tool '${name.slice(0, 64)}' for this agent; it has: ${[...run.agent.tools.keys()].toSorted().join(", ")}`;
}
