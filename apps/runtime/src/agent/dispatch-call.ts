import { isBasisError, joinSignals, withDeadline, DeadlineError, type JsonValue } from "@basis/core";
import { failureOutcome, textOutcome, type Tool, type ToolOutcome } from "../tools/tool.ts";
import { CallGuards } from "./call-guards.ts";
import { approvalRequest, authorizeCall, levelOf, type ReadyCall } from "./authorize-call.ts";
import { eventCall, type QueuedCall } from "./queued-call.ts";
import type { RunContext } from "./run-context.ts";
import type { TrailRouter } from "./trail-router.ts";
import type { CompileInputCheck } from "../tools/input-check.ts";

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

/** One call on its way, and whether others run beside it. */
export interface Dispatch {
  readonly run: RunContext;
  readonly call: QueuedCall;
  readonly parallel: boolean;
  readonly ports: DispatchPorts;
}

/**
 * The one way from a model's call to a tool: guards, schema, plan, approval, intent, tool, guards again.
 * Every refusal is a result that the model can read.
 */
export async function dispatchCall(dispatch: Dispatch): Promise<Settled> {
  const { run, call } = dispatch;
  const tool = run.agent.tools.get(call.toolName);
  if (tool === undefined) return refused(unknownTool(run, call.toolName));
  if (!run.bounds.takeCall()) return refused("not executed: the run's tool budget is used up");
  const guards = new CallGuards(run, call, { tool, trail: dispatch.ports.trail });
  try {
    return await admit(dispatch, tool, guards);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    return { state: "result", outcome: failureOutcome(error) };
  } finally {
    guards.close();
  }
}

/** Guards, schema, plan and approval; an approver's edit goes through all of them again. */
async function admit(dispatch: Dispatch, tool: Tool, guards: CallGuards): Promise<Settled> {
  const { run, call } = dispatch;
  let edited: JsonValue | undefined;
  for (let edits = 0; edits <= MAX_EDITS; edits += 1) {
    const guarded = await guards.input(edited);
    if (guarded.decision === "deny") return refused(guarded.reason);
    const { input, rewrittenBy } = guarded;
    const problem = await problemOf(dispatch, tool, { input, rewrittenBy });
    if (problem !== undefined) return refused(problem);
    const { callKey, toolCallId } = call;
    const facts = { callKey, toolCallId, agentId: run.agent.agentId, signal: run.signal };
    const ready: ReadyCall = { tool, input, prepared: await tool.prepare?.(input, facts) };
    const authorized = await authorizeCall(run, call, ready);
    switch (authorized.decision) {
      case "allow":
        return { state: "result", outcome: await execute(dispatch, ready, guards) };
      case "deny":
        return refused(authorized.text);
      case "parked":
        return { state: "parked", approvalId: authorized.approvalId };
      case "edited":
        edited = authorized.input;
    }
  }
  return refused("Tool execution denied: the approver's edits and the hooks did not settle");
}

/** Why the final input cannot run, if so: it breaks the tool's schema, or may not run beside others. */
async function problemOf(
  dispatch: Dispatch,
  tool: Tool,
  final: { readonly input: JsonValue; readonly rewrittenBy: string | undefined },
): Promise<string | undefined> {
  const { input, rewrittenBy } = final;
  const wrong = (await dispatch.ports.inputCheck(tool))(input);
  if (wrong !== undefined) {
    return rewrittenBy === undefined
      ? `Invalid input for '${tool.name}': ${wrong}`
      : `The call was rewritten by ${rewrittenBy}, and the rewrite is no valid input for '${tool.name}': ${wrong}`;
  }
  if (dispatch.parallel && !tool.parallelSafe(input)) {
    return `The call was rewritten by ${rewrittenBy ?? "a hook"} into one that cannot run beside others; call it alone`;
  }
  return undefined;
}

/** Uses the approval up, records the intent, runs the tool, and lets the guards see what came out. */
async function execute({ run, call }: Dispatch, ready: ReadyCall, guards: CallGuards): Promise<ToolOutcome> {
  const digest = await redeem(run, call, ready);
  if (typeof digest !== "string") return digest;
  run.emit("tool_started", { ...eventCall(call), input: ready.input as never, digest });
  const outcome = await runTool(run, call, ready);
  return guards.result(ready.input, outcome);
}

/** One transaction on the session's fence: the approval is used up and the intent recorded. Answers the digest, or why not. */
async function redeem(run: RunContext, call: QueuedCall, ready: ReadyCall): Promise<string | ToolOutcome> {
  const digest = (await approvalRequest(run, call, ready)).digest!;
  const level = levelOf(ready);
  const { callKey, toolCallId, toolName } = call;
  try {
    if (level === "none") {
      run.gate.redeemSync({ callKey, digest });
    } else {
      const { session: sessionId, run: runId } = run.scope;
      const startedAt = run.clock.now();
      await run.writer.update({
        join: (tx) => {
          run.gate.redeemSync({ callKey, digest }, { store: run.ledger.approvalsIn(tx) });
          run.ledger.begin(tx, { callKey, sessionId, runId, toolCallId, toolName, level, digest, startedAt });
        },
      });
    }
    return digest;
  } catch (error) {
    if (isBasisError(error, "ApprovalError"))
      return textOutcome(`Tool execution denied: ${error.message}`, true);
    throw error;
  }
}

async function runTool(
  run: RunContext,
  call: QueuedCall,
  { tool, input, prepared }: ReadyCall,
): Promise<ToolOutcome> {
  const timeoutMs = Math.min(tool.timeoutMs ?? Infinity, run.bounds.remainingMs() ?? Infinity);
  const progress = (text: string): void => run.emit("tool_progress", { ...eventCall(call), text });
  const work = (signal: AbortSignal): Promise<ToolOutcome> =>
    prepared ? prepared.execute({ signal, progress }) : tool.execute(input, { signal, progress });
  try {
    if (timeoutMs !== Infinity)
      return await withDeadline({ timeoutMs, signal: run.signal, clock: run.clock }, work);
    const joined = joinSignals(run.signal);
    return await work(joined.signal).finally(joined.release);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    if (error instanceof DeadlineError)
      return textOutcome(`'${tool.name}' ${error.message} and was stopped`, true);
    return failureOutcome(error);
  }
}

function refused(text: string): Settled {
  return { state: "result", outcome: textOutcome(text, true) };
}

function unknownTool(run: RunContext, name: string): string {
  return `there is no tool '${name.slice(0, 64)}' for this agent; it has: ${[...run.agent.tools.keys()].toSorted().join(", ")}`;
}
