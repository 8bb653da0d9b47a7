import { planAmend, planClaim, planFail, planRenewClaim, unknownOperation } from "../claim-rules.ts";
import type { ForkLedger, ForkOperation } from "../fork-operation.ts";
import { pageOf } from "./memory-page.ts";
import type { MemoryState } from "./memory-state.ts";

/** The fork ledger of a memory store. */
export function memoryLedger<M>(state: MemoryState<M>): ForkLedger<M> {
  return { ...memoryOperations(state), ...memoryClaims(state) };
}

/** @throws SessionError `unknown_operation`. */
export function operationOf<M>(state: MemoryState<M>, operationId: string): ForkOperation<M> {
  const operation = state.operations.get(operationId);
  if (operation === undefined) throw unknownOperation(operationId);
  return operation;
}

function memoryOperations<M>(
  state: MemoryState<M>,
): Pick<ForkLedger<M>, "get" | "ofSession" | "ofKey" | "list"> {
  const find = (operationId: string | undefined): ForkOperation<M> | undefined =>
    operationId === undefined ? undefined : state.operations.get(operationId);
  return {
    async get(operationId, options) {
      state.enter(options?.signal);
      return find(operationId);
    },
    async ofSession(sessionId, options) {
      state.enter(options?.signal);
      return find(state.operationSessions.get(sessionId));
    },
    async ofKey(idempotencyKey, options) {
      state.enter(options?.signal);
      return find(state.operationKeys.get(idempotencyKey));
    },
    async list(request) {
      state.enter(request?.signal);
      const wanted = request?.state;
      const found = [...state.operations.values()].filter(
        (operation) => wanted === undefined || operation.state === wanted,
      );
      return pageOf(found, ({ id }) => id, request);
    },
  };
}

function memoryClaims<M>(state: MemoryState<M>): Pick<ForkLedger<M>, "claim" | "renew" | "fail" | "amend"> {
  const keep = (operation: ForkOperation<M>): ForkOperation<M> => {
    state.operations.set(operation.id, operation);
    return operation;
  };
  return {
    async claim(request) {
      state.enter(request.signal);
      const step = planClaim(operationOf(state, request.operationId), request, state.clock.now());
      keep(step.operation);
      return step.claim;
    },
    async renew(claim, options) {
      state.enter(options?.signal);
      const moment = { now: state.clock.now(), ttlMs: options?.ttlMs };
      const step = planRenewClaim(operationOf(state, claim.operationId), claim, moment);
      keep(step.operation);
      return step.claim;
    },
    async fail(claim, failure) {
      state.enter(failure.signal);
      const moment = { reason: failure.reason, now: state.clock.now() };
      return keep(planFail(operationOf(state, claim.operationId), claim, moment));
    },
    async amend(claim, amendment) {
      state.enter(amendment.signal);
      const operation = operationOf(state, claim.operationId);
      const amended = planAmend(operation, claim, { ...amendment, now: state.clock.now() });
      if (amended.child.member !== operation.child.member) {
        state.checkNameFree(amended.child.member);
        state.reservations.delete(operation.child.member);
        state.reservations.set(amended.child.member, operation.id);
      }
      return keep(amended);
    },
  };
}
