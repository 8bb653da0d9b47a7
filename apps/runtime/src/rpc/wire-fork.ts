import type { ForkResult, ForkStatus } from "@mobkit/fork";

/** The result of a fork as the wire spells it. */
export function wireForkResult(result: ForkResult) {
  const { agentIdentity, cacheInheritance: cache, replayed, degraded } = result;
  return {
    ...wireOrigin(result),
    agent_identity: agentIdentity,
    cache_inheritance:
      cache.status === "available"
        ? { status: cache.status, message_count: cache.messageCount }
        : { status: cache.status, reason: cache.reason },
    replayed,
    degraded: degraded.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  };
}

/** A fork of the ledger as the wire spells it. Times are milliseconds since the epoch. */
export function wireForkStatus(status: ForkStatus) {
  const { state, role, labels, idempotencyKey, claimedUntil, failure, createdAt, updatedAt } = status;
  return {
    ...wireOrigin(status),
    state,
    role,
    labels,
    idempotency_key: idempotencyKey,
    claimed_until: claimedUntil,
    failure,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

function wireOrigin(fork: ForkResult | ForkStatus) {
  const { operationId, sourceMemberAlias, memberAlias, sessionId, messageCount, prefixDigest, lineage } =
    fork;
  return {
    operation_id: operationId,
    source_member_alias: sourceMemberAlias,
    member_alias: memberAlias,
    session_id: sessionId,
    message_count: messageCount,
    prefix_digest: prefixDigest,
    lineage: { session_id: lineage.sessionId, len: lineage.len, digest: lineage.digest },
  };
}
