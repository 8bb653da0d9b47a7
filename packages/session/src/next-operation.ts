import type { ForkOperation } from "./fork-operation.ts";

/** What a step can change of an operation. */
export type OperationStep<M> = Partial<
  Pick<ForkOperation<M>, "state" | "child" | "request" | "failure" | "agentIdentity" | "provision">
> &
  Pick<ForkOperation<M>, "claim" | "updatedAt">;

/**
 * The operation after a step, frozen. Field by field, since every fork takes two and to spread a frozen object costs
 * several times as much.
 */
export function nextOperation<M>(operation: ForkOperation<M>, step: OperationStep<M>): ForkOperation<M> {
  return Object.freeze({
    id: operation.id,
    state: step.state ?? operation.state,
    idempotencyKey: operation.idempotencyKey,
    requestDigest: operation.requestDigest,
    request: step.request ?? operation.request,
    source: operation.source,
    child: step.child ?? operation.child,
    initialMessage: operation.initialMessage,
    sideStateReset: operation.sideStateReset,
    claim: step.claim,
    failure: step.failure === undefined ? operation.failure : step.failure,
    agentIdentity: step.agentIdentity === undefined ? operation.agentIdentity : step.agentIdentity,
    provision: step.provision === undefined ? operation.provision : step.provision,
    createdAt: operation.createdAt,
    updatedAt: step.updatedAt,
  });
}
