import { realpathSync } from "node:fs";
import { digestJson, type JsonValue, type SideEffectLevel } from "@basis/core";
import { approvalDigest, type ApprovalRequest, type AuthorizeOutcome } from "@basis/approval";
import type { PreparedCall, Tool } from "../tools/tool.ts";
import { eventCall, type QueuedCall } from "./queued-call.ts";
import type { RunContext } from "./run-context.ts";

/** A call whose guards have passed and whose plan is made. */
export interface ReadyCall {
  readonly tool: Tool;
  readonly input: JsonValue;
  readonly prepared: PreparedCall | undefined;
}

/** What the gate left of a call. */
export type Authorized =
  | { readonly decision: "allow"; readonly digest: string }
  | { readonly decision: "deny"; readonly text: string }
  | { readonly decision: "edited"; readonly input: JsonValue; readonly by: string }
  | { readonly decision: "parked"; readonly approvalId: string };

/** The most a ready call can do. */
export function levelOf({ tool, prepared }: ReadyCall): SideEffectLevel {
  return prepared?.level ?? tool.level;
}

/** Asks the gate about a call and tells in events what it said. Calls that change nothing are not reported. */
export async function authorizeCall(
  run: RunContext,
  call: QueuedCall,
  ready: ReadyCall,
): Promise<Authorized> {
  const request = await approvalRequest(run, call, ready);
  const level = levelOf(ready);
  const told = level !== "none";
  if (told) {
    const preview = request.preview ?? ready.input;
    run.emit("permission_requested", {
      ...eventCall(call),
      digest: request.digest!,
      level,
      preview: preview as never,
    });
  }
  const outcome = await run.gate.authorize(request, { signal: run.signal });
  if (told || outcome.decision !== "allow") reportOutcome(run, call, outcome);
  switch (outcome.decision) {
    case "allow":
      return { decision: "allow", digest: outcome.digest };
    case "edited":
      return { decision: "edited", input: outcome.input, by: outcome.by };
    case "deny":
      return { decision: "deny", text: outcome.text };
    case "parked":
      return { decision: "parked", approvalId: outcome.approvalId };
  }
}

/** What a rule that came while the call waited says of it, told in an event; undefined when it may go on. */
export async function denyRunningCall(
  run: RunContext,
  call: QueuedCall,
  request: ApprovalRequest,
): Promise<string | undefined> {
  const denial = await run.gate.denyRunning(request, { signal: run.signal });
  if (denial !== undefined) reportOutcome(run, call, denial);
  return denial?.text;
}

function reportOutcome(run: RunContext, call: QueuedCall, outcome: AuthorizeOutcome): void {
  const { by, reason, approvalId }: { by?: string; reason?: string; approvalId?: string } = outcome;
  run.emit("permission_resolved", {
    ...eventCall(call),
    decision: outcome.decision,
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
    ...(approvalId === undefined ? {} : { approval_id: approvalId }),
  });
}

/**
 * What is approved, derived from the world as it is now: called before the gate is asked and again just before the
 * call runs, so that anything that changed in between makes the approval stale.
 */
export async function approvalRequest(
  run: RunContext,
  call: QueuedCall,
  ready: ReadyCall,
): Promise<ApprovalRequest> {
  const { tool, input, prepared } = ready;
  const request = {
    callKey: call.callKey,
    agentId: run.agent.agentId,
    toolName: tool.name,
    input,
    preview: prepared?.preview,
    sideEffectLevel: levelOf(ready),
    cwd: realpathSync.native(run.root),
    binding: prepared?.binding,
    toolIdentity: toolIdentity(tool),
    evidence: await (prepared?.evidence?.() ?? tool.evidence?.(input)),
    effect: tool.effectOf?.(input) ?? tool.effect,
    sessionId: run.scope.session,
    workspace: run.root,
  };
  return { ...request, digest: approvalDigest({ ...request, agent: request.agentId }) };
}

const identities = new WeakMap<Tool, string>();

/** A digest of which tool stands behind a name: where it comes from and how it is defined. */
export function toolIdentity(tool: Tool): string {
  let identity = identities.get(tool);
  if (identity === undefined) {
    const { name, description, inputSchema, effect = null, level, source, identity: own = null } = tool;
    identity = digestJson({ name, description, inputSchema, effect, level, source, identity: own });
    identities.set(tool, identity);
  }
  return identity;
}
