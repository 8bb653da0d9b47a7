import type { JsonObject } from "@basis/core";
import type { ForkOperation } from "@mobkit/session";
import type { ForkRequest } from "./fork-request.ts";
import type { ProvisionRequest } from "./fork-ports.ts";
import { storedToolAccess, type ToolAccessPolicy } from "./tool-access.ts";

/**
 * What the ledger keeps of a request beside the operation's own fields: what is not the default, and the policy in
 * effect, since the source may be gone when a resume needs it.
 */
export function toStoredRequest(
  request: ForkRequest,
  { member, policy }: { readonly member: string; readonly policy: ToolAccessPolicy | undefined },
): JsonObject {
  const { source, model, at, expect, allowEmpty, whileRunning } = request;
  const kept: Record<string, unknown> = {};
  if (source !== member) kept["source"] = source;
  if (model !== undefined) kept["model"] = model;
  if (at !== undefined) kept["at"] = at;
  if (expect !== undefined) kept["expect"] = expect;
  if (allowEmpty) kept["allowEmpty"] = true;
  if (whileRunning !== "refuse") kept["whileRunning"] = whileRunning;
  if (policy !== undefined) kept["toolAccessPolicy"] = policy;
  return kept as JsonObject;
}

/** The stored request of a child that was given another role or model, so that no older cache verdict holds for it. */
export function toAmendedRequest(
  request: JsonObject,
  change: { readonly role?: string | undefined; readonly model?: string | undefined },
): JsonObject {
  return {
    ...request,
    ...(change.role !== undefined && { role: change.role }),
    ...(change.model !== undefined && { model: change.model }),
    cacheReset: true,
  };
}

/** True when a resume changed the child's role or model. */
export function isCacheReset({ request }: ForkOperation<unknown>): boolean {
  return Object.hasOwn(request, "cacheReset") && request["cacheReset"] === true;
}

/** What the provisioner is told of an operation: the ledger alone suffices, also after a restart. */
export function toProvisionRequest<M>(operation: ForkOperation<M>, epoch: number): ProvisionRequest<M> {
  const { id, child, initialMessage, request } = operation;
  const model = Object.hasOwn(request, "model") ? request["model"] : undefined;
  const toolAccessPolicy = storedToolAccess(request);
  return Object.freeze({
    operationId: id,
    sessionId: child.sessionId,
    member: child.member,
    role: child.role,
    labels: child.labels,
    epoch,
    ...(initialMessage !== null && { initialMessage }),
    ...(typeof model === "string" && { model }),
    ...(toolAccessPolicy && { toolAccessPolicy }),
  });
}
