import type { JsonValue, SideEffectLevel } from "@basis/core";
import { approvalDigest } from "./approval-digest.ts";
import { ApprovalError } from "./approval-error.ts";
import { frozenJson } from "./frozen-json.ts";
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
  const sideEffectLevel = effectiveLevel(request.sideEffectLevel);
  const fixed = fixedCall({ ...request, callKey, sideEffectLevel });
  return Object.freeze({
    ...fixed,
    digest: fixed.digest ?? approvalDigest({ ...fixed, agent: fixed.agentId }),
  });
}

type NamedCall = Omit<ApprovalSubject, "digest"> & { readonly digest?: string | undefined };

/** A copy that nobody can change; the part that has no canonical form is named. */
function fixedCall(call: NamedCall): NamedCall {
  try {
    return frozenJson(call);
  } catch (cause) {
    approvalDigest({ ...call, agent: call.agentId });
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
