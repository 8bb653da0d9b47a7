import { realpathSync } from "node:fs";
import { digestJson, type JsonValue, type SideEffectLevel } from "@basis/core";
import { approvalDigest, type ApprovalRequest, type AuthorizeOutcome } from "@basis/approval";
import type { PreparedCall, Tool } from "../../tools/tool.ts";
import type { QueuedCall } from "./queued-call.ts";
import type { RunContext, Told } from "../run/run-context.ts";

/** A call whose guards have passed and whose plan is made. */
export interface ReadyCall {
  readonly tool: Tool;
  readonly input: JsonValue;
  readonly prepared: PreparedCall | undefined;
  /** What was derived of it last. */
  bound?: BoundRequest;
}

/** The most a ready call can do. */
export function levelOf({ tool, prepared }: ReadyCall): SideEffectLevel {
  return prepared?.level ?? tool.level;
}

/** Asks the gate about a call and tells in events what it said. Calls that change nothing are not reported. */
export async function authorizeCall(
  run: RunContext,
  call: QueuedCall,
  ready: ReadyCall,
): Promise<AuthorizeOutcome> {
  const bound = requestToAsk(run, call, ready);
  const request = bound instanceof Promise ? await bound : bound;
  const level = levelOf(ready);
  const told = level !== "none";
  if (told) {
    const preview = request.preview ?? ready.input;
    run.emit("permission_requested", {
      call_key: call.callKey,
      tool_call_id: call.toolCallId,
      tool_name: call.toolName,
      digest: request.digest,
      level,
      preview: preview as never,
    });
  }
  const outcome = await run.gate.authorize(request, { signal: run.ending });
  if (told || outcome.decision !== "allow") reportOutcome(run, call, outcome);
  return outcome;
}

/** What a rule that came while the call waited says of it, told in an event; undefined when it may go on. */
export async function denyRunningCall(
  run: RunContext,
  call: QueuedCall,
  request: ApprovalRequest,
): Promise<string | undefined> {
  const denial = await run.gate.denyRunning(request, { signal: run.ending });
  if (denial !== undefined) reportOutcome(run, call, denial);
  return denial?.text;
}

function reportOutcome(run: RunContext, call: QueuedCall, outcome: AuthorizeOutcome): void {
  const { by, reason, approvalId }: { by?: string; reason?: string; approvalId?: string } = outcome;
  const told: Told<"permission_resolved"> = {
    call_key: call.callKey,
    tool_call_id: call.toolCallId,
    tool_name: call.toolName,
    decision: outcome.decision,
  };
  if (by !== undefined) told.by = by;
  if (reason !== undefined) told.reason = reason;
  if (approvalId !== undefined) told.approval_id = approvalId;
  run.emit("permission_resolved", told);
}

/** A request with what binds it. */
export type BoundRequest = ApprovalRequest & { readonly digest: string };

type MaybePromise<T> = T | Promise<T>;

/** What the gate is asked: the call in the directory that the workspace was opened at, as its guards were. */
function requestToAsk(run: RunContext, call: QueuedCall, ready: ReadyCall): MaybePromise<BoundRequest> {
  return bind(run, call, { ready, cwd: run.root });
}

/**
 * What is about to run, derived from the world as it is now, and from where the workspace's path leads by now: anything that
 * changed since the gate was asked makes the approval stale.
 */
export function requestToRun(
  run: RunContext,
  call: QueuedCall,
  ready: ReadyCall,
): MaybePromise<BoundRequest> {
  return bind(run, call, { ready, cwd: realpathSync.native(run.root) });
}

interface Place {
  readonly ready: ReadyCall;
  readonly cwd: string;
}

function bind(run: RunContext, call: QueuedCall, { ready, cwd }: Place): MaybePromise<BoundRequest> {
  const { tool, input, prepared } = ready;
  const evidence = prepared?.evidence?.() ?? tool.evidence?.(input);
  const bound = (facts: Evidence): BoundRequest =>
    (ready.bound = boundRequest(run, call, { ready, cwd, facts }));
  return evidence === undefined ? bound(undefined) : evidence.then(bound);
}

type Evidence = ApprovalRequest["evidence"];

interface WorldFacts extends Place {
  readonly facts: Evidence;
}

/** Facts that are the very same as before give the same digest: it is not derived anew from them. */
function boundRequest(run: RunContext, call: QueuedCall, { ready, cwd, facts }: WorldFacts): BoundRequest {
  const { tool, input, prepared, bound } = ready;
  const { preview, binding } = prepared ?? {};
  const identity = toolIdentity(tool);
  const isSame =
    bound !== undefined &&
    bound.cwd === cwd &&
    bound.toolIdentity === identity &&
    bound.input === input &&
    bound.preview === preview &&
    bound.binding === binding &&
    areAlike(bound.evidence, facts);
  if (isSame) return bound;
  const { agentId: agent } = run.agent;
  const evidence = facts;
  const digest = approvalDigest({
    callKey: call.callKey,
    agent,
    toolName: tool.name,
    input,
    preview,
    cwd,
    binding,
    toolIdentity: identity,
    evidence,
  });
  return {
    callKey: call.callKey,
    agentId: agent,
    toolName: tool.name,
    input,
    preview,
    sideEffectLevel: levelOf(ready),
    cwd,
    binding,
    toolIdentity: identity,
    evidence,
    effect: tool.effectOf?.(input) ?? tool.effect,
    sessionId: run.scope.session,
    workspace: run.root,
    digest,
  };
}

function areAlike(some: Evidence, others: Evidence): boolean {
  if (some === undefined || others === undefined) return some === others;
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]);
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
