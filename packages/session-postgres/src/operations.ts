import type { ForkLedger, ForkOperation } from "@mobkit/session";
import {
  checkName,
  pageLimit,
  pageOf,
  planAmend,
  planClaim,
  planFail,
  planRenewClaim,
} from "@mobkit/session/rules";
import { freeName, holderOf, refuseHeldName, reserveName } from "./members.ts";
import {
  findOperation,
  holdOperation,
  operationOf,
  selectOperations,
  updateOperation,
} from "./operation-rows.ts";
import type { SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";

/** The fork ledger of a store. */
export function postgresOperations<M>(context: StoreContext<M>): ForkLedger<M> {
  return { ...operationReads(context), ...operationClaims(context) };
}

function operationReads<M>({
  transactions,
}: StoreContext<M>): Pick<ForkLedger<M>, "get" | "ofSession" | "ofKey" | "list"> {
  const find = (column: Parameters<typeof findOperation>[1], value: string, signal?: AbortSignal) =>
    transactions.read((sql) => findOperation<M>(sql, column, value), signal);
  return {
    get: (operationId, options = {}) => find("fork_op.id", operationId, options.signal),
    ofSession: (sessionId, options = {}) => find("child.id", sessionId, options.signal),
    ofKey: (key, options = {}) => find("fork_op.idempotency_key", key, options.signal),
    async list(request = {}) {
      const limit = pageLimit(request);
      // The state stands in the text, so that the index of committed operations serves the sweep at start-up.
      const ofState = request.state === undefined ? "" : `AND fork_op.state = '${stateName(request.state)}'`;
      const after = request.after === undefined ? "" : checkName("after", request.after);
      const rows = await transactions.read(
        (sql) =>
          sql.query(`${selectOperations} WHERE fork_op.id > $1 ${ofState} ORDER BY fork_op.id LIMIT $2`, [
            after,
            limit + 1,
          ]),
        request.signal,
      );
      return pageOf(
        rows.map((row) => operationOf<M>(row)),
        { limit, cursor: ({ id }) => id },
      );
    },
  };
}

/** One of the three words, whatever a caller without types passed. */
function stateName(state: ForkOperation<unknown>["state"]): string {
  return state === "committed" || state === "seated" ? state : "abandoned";
}

function operationClaims<M>({
  transactions,
  time,
}: StoreContext<M>): Pick<ForkLedger<M>, "claim" | "renew" | "fail" | "amend"> {
  return {
    claim: (request) =>
      transactions.write(async (sql) => {
        const { operation, nowMs } = await holdOperation<M>(sql, request.operationId);
        const step = planClaim(operation, request, time.at(nowMs));
        return { answer: step.claim, writes: [updateOperation(step.operation)] };
      }, request.signal),
    renew: (claim, options = {}) =>
      transactions.write(async (sql) => {
        const { operation, nowMs } = await holdOperation<M>(sql, claim.operationId);
        const step = planRenewClaim(operation, claim, { now: time.at(nowMs), ttlMs: options.ttlMs });
        return { answer: step.claim, writes: [updateOperation(step.operation)] };
      }, options.signal),
    fail: (claim, { reason, signal }) =>
      transactions.write(async (sql) => {
        const { operation, nowMs } = await holdOperation<M>(sql, claim.operationId);
        const failed = planFail(operation, claim, { reason, now: time.at(nowMs) });
        return { answer: failed, writes: [updateOperation(failed)] };
      }, signal),
    amend: (claim, amendment) =>
      transactions.write(async (sql) => {
        const { operation, nowMs } = await holdOperation<M>(sql, claim.operationId);
        const amended = planAmend(operation, claim, { ...amendment, now: time.at(nowMs) });
        const from = operation.child.member;
        const to = amended.child.member;
        if (from !== to) refuseHeldName(to, await holderOf(sql, to));
        const moved: SqlStatement[] = from === to ? [] : [freeName(from), reserveName(to, operation.id)];
        return { answer: amended, writes: [updateOperation(amended), ...moved] };
      }, amendment.signal),
  };
}
