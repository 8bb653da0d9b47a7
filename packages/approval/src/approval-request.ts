import type { JsonValue, SideEffectLevel } from "@basis/core";
import { approvalDigest } from "./approval-digest.ts";
import { ApprovalError } from "./approval-error.ts";
import { fixedJson } from "./frozen-json.ts";
import { effectiveLevel } from "./side-effect-level.ts";

/** The facts of a call that do not name it. */
interface CallFacts {
  readonly agentId: string;
  readonly toolName: string;
  /** The final input, exactly as the tool will get it. */
  readonly input: JsonValue;
  /** What a person is shown and rules match on; absent: the input itself. Paths in it are normalised by the host. */
  readonly preview?: JsonValue | undefined;
  /** Absent counts as `external`. */
  readonly sideEffectLevel?: SideEffectLevel | undefined;
  readonly cwd?: string | undefined;
  readonly binding?: string | undefined;
  readonly toolIdentity?: string | undefined;
  readonly evidence?: { readonly [name: string]: string } | undefined;
  /** What the call does in one word of the host's (`command`, `write`, …). A `command` is never covered by a wildcard. */
  readonly effect?: string | undefined;
  /** Where rules of scope `session` look. */
  readonly sessionId?: string | undefined;
  /** Where rules of scope `workspace` look: the workspace's real directory. */
  readonly workspace?: string | undefined;
}

/** How a call is named: by the key the host minted, or by `callId` where the host's call ids are unique already. */
type CallName =
  | { readonly callKey: string; readonly callId?: string | undefined }
  | { readonly callKey?: undefined; readonly callId: string };

/** What `gate.authorize` is asked. `digest` binds the host's own `approvalDigest`; absent, the gate computes it. */
export type ApprovalRequest = CallName & CallFacts & { readonly digest?: string | undefined };

/** A request as approvers and stores see it: named, levelled, bound to its digest. */
export interface ApprovalSubject extends CallFacts {
  readonly callKey: string;
  readonly callId?: string | undefined;
  readonly sideEffectLevel: SideEffectLevel;
  readonly digest: string;
}

/**
 * Turns a request into what is judged: a copy that nobody can change, so that what is looked up, shown and bound is one call.
 *
 * @throws ApprovalError `invalid_request` for a missing name, `not_canonical` for a value without a JSON form.
 */
export function describeRequest(request: ApprovalRequest): ApprovalSubject {
  const callKey = requireText("callKey", request.callKey ?? request.callId);
  requireText("agentId", request.agentId);
  requireText("toolName", request.toolName);
  if (request.input === undefined) throw invalidRequest("input", "absent");
  const fixed = fixedCall(request, callKey);
  fixed.digest ??= approvalDigest({ ...fixed, agent: fixed.agentId });
  return Object.freeze(fixed as ApprovalSubject);
}

type Draft = { -readonly [Field in keyof ApprovalSubject]: ApprovalSubject[Field] };
type NamedCall = Omit<Draft, "digest"> & Partial<Pick<Draft, "digest">>;

/**
 * A copy that nobody can change; the part that has no canonical form is named. What nobody can change already is taken as it
 * is. Written member by member, in canonical order: a spread would cost more than all the rest.
 */
function fixedCall(request: ApprovalRequest, callKey: string): NamedCall {
  try {
    const fixed = { agentId: fixedJson(request.agentId) } as NamedCall;
    if (request.binding !== undefined) fixed.binding = fixedJson(request.binding);
    if (request.callId !== undefined) fixed.callId = fixedJson(request.callId);
    fixed.callKey = fixedJson(callKey);
    if (request.cwd !== undefined) fixed.cwd = fixedJson(request.cwd);
    if (request.digest !== undefined) fixed.digest = fixedJson(request.digest);
    if (request.effect !== undefined) fixed.effect = fixedJson(request.effect);
    if (request.evidence !== undefined) fixed.evidence = fixedJson(request.evidence);
    fixed.input = fixedJson(request.input);
    if (request.preview !== undefined) fixed.preview = fixedJson(request.preview);
    if (request.sessionId !== undefined) fixed.sessionId = fixedJson(request.sessionId);
    fixed.sideEffectLevel = effectiveLevel(request.sideEffectLevel);
    if (request.toolIdentity !== undefined) fixed.toolIdentity = fixedJson(request.toolIdentity);
    fixed.toolName = fixedJson(request.toolName);
    if (request.workspace !== undefined) fixed.workspace = fixedJson(request.workspace);
    return fixed;
  } catch (cause) {
    approvalDigest({ ...request, callKey, agent: request.agentId });
    throw cause;
  }
}

/** What rules match on. */
export function ruleText(subject: Pick<ApprovalSubject, "input" | "preview">): JsonValue {
  return subject.preview ?? subject.input;
}

function requireText(field: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw invalidRequest(field, "not a text, or empty");
}

function invalidRequest(field: string, problem: string): ApprovalError<"invalid_request"> {
  return new ApprovalError("invalid_request", `an approval request needs its ${field}`, {
    details: { field, problem },
  });
}
