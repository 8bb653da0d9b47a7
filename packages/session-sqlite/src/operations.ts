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
import { keepForkEvent } from "./fork-events.ts";
import { renameReservation, requireFreeName } from "./members.ts";
import {
  findOperation,
  operationOf,
  requireOperation,
  selectOperations,
  updateOperation,
} from "./operation-rows.ts";
import { pack } from "./packed-text.ts";
import type { StoreContext } from "./store-context.ts";

/** The fork ledger of a store. */
export function sqliteOperations<M>(context: StoreContext<M>): ForkLedger<M> {
  return { ...operationReads(context), ...operationClaims(context) };
}

function operationReads<M>({
  connection,
}: StoreContext<M>): Pick<ForkLedger<M>, "get" | "ofSession" | "ofKey" | "list"> {
  return {
    get: (operationId, options = {}) =>
      connection.look(() => findOperation<M>(connection, "id", operationId), options.signal),
    ofSession: (sessionId, options = {}) =>
      connection.look(() => {
        const row = connection.statement(`${selectOperations} WHERE child.id = ?`).get(pack(sessionId));
        return row && operationOf<M>(row);
      }, options.signal),
    ofKey: (key, options = {}) =>
      connection.look(() => findOperation<M>(connection, "idempotency_key", key), options.signal),
    async list(request = {}) {
      const limit = pageLimit(request);
      const after = pack(request.after === undefined ? "" : checkName("after", request.after));
      const ofState = request.state === undefined ? "" : `AND ${stateCondition(request.state)}`;
      const rows = await connection.look(
        () =>
          connection
            .statement(`${selectOperations} WHERE fork_op.id > ? ${ofState} ORDER BY fork_op.id LIMIT ?`)
            .all(after, limit + 1),
        request.signal,
      );
      return pageOf(
        rows.map((row) => operationOf<M>(row)),
        { limit, cursor: ({ id }) => id },
      );
    },
  };
}

/**
 * Committed operations are those whose child's name is reserved and not seated: found without a look at all the others,
 * and without an index that every fork would write twice.
 */
function stateCondition(state: ForkOperation<unknown>["state"]): string {
  if (state !== "committed") return `fork_op.state = '${state === "seated" ? "seated" : "abandoned"}'`;
  return "fork_op.state = 'committed' AND fork_op.session IN (SELECT session FROM member WHERE seated_at IS NULL)";
}

function operationClaims<M>({
  connection,
  commits,
  clock,
}: StoreContext<M>): Pick<ForkLedger<M>, "claim" | "renew" | "fail" | "amend"> {
  return {
    claim: (request) =>
      commits.submit(() => {
        const step = planClaim(requireOperation<M>(connection, request.operationId), request, clock.now());
        updateOperation(connection, step.operation);
        return step.claim;
      }, request.signal),
    renew: (claim, options = {}) =>
      commits.submit(() => {
        const found = requireOperation<M>(connection, claim.operationId);
        const step = planRenewClaim(found, claim, { now: clock.now(), ttlMs: options.ttlMs });
        updateOperation(connection, step.operation);
        return step.claim;
      }, options.signal),
    fail: (claim, { reason, signal }) =>
      commits.submit(() => {
        const found = requireOperation<M>(connection, claim.operationId);
        const failed = planFail(found, claim, { reason, now: clock.now() });
        updateOperation(connection, failed);
        return failed;
      }, signal),
    amend: (claim, amendment) =>
      commits.submit(() => {
        const found = requireOperation<M>(connection, claim.operationId);
        const amended = planAmend(found, claim, { ...amendment, now: clock.now() });
        if (amended.child.member !== found.child.member) {
          requireFreeName(connection, amended.child.member);
          keepForkEvent(connection, found);
          renameReservation(connection, found.child.member, amended.child.member);
        }
        updateOperation(connection, amended);
        return amended;
      }, amendment.signal),
  };
}
