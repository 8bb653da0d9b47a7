import { isJsonObject, type JsonObject } from "@basis/core";
import type { ForkOperation, ForkOperationState, StoreCapabilities } from "@mobkit/session";
import { encodeAlias } from "./alias.ts";

/** Why a child cannot count on its source's prompt cache. */
export type CacheUnavailableReason =
  | "target_identity_unresolved"
  | "target_lowering_unavailable"
  | "rendered_prefix_projection_unavailable"
  | "authored_evidence_invalid"
  | "no_authored_breakpoint_at_boundary"
  | "provider_model_mismatch";

/** The lower layer's verdict on the source's prompt cache. It informs; it never fails a fork. */
export type CacheInheritance =
  | { readonly status: "available"; readonly messageCount: number }
  | { readonly status: "unavailable"; readonly reason: CacheUnavailableReason };

/** The prefix that a child began with. */
export interface ForkLineage {
  readonly sessionId: string;
  readonly len: number;
  /** The digest of that prefix, in the source as in the child. */
  readonly digest: string;
}

/** A fork whose child is seated. */
export interface ForkResult {
  readonly operationId: string;
  /** The source as the request named it, decoded. */
  readonly sourceMemberAlias: string;
  readonly memberAlias: string;
  readonly agentIdentity: string;
  readonly sessionId: string;
  /** Messages of the source that the child begins with. */
  readonly messageCount: number;
  readonly prefixDigest: string;
  readonly lineage: ForkLineage;
  readonly cacheInheritance: CacheInheritance;
  /** True when an earlier call had made this child: by its idempotency key, or seated before this resume. */
  readonly replayed: boolean;
  /** Capabilities that the store lacks; see the README for what each one changes. */
  readonly degraded: readonly (keyof StoreCapabilities)[];
}

/** A fork as the ledger has it. */
export interface ForkStatus {
  readonly operationId: string;
  readonly state: ForkOperationState;
  readonly sourceMemberAlias: string;
  readonly memberAlias: string;
  readonly role: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sessionId: string;
  readonly messageCount: number;
  readonly prefixDigest: string;
  readonly lineage: ForkLineage;
  readonly idempotencyKey: string | null;
  /** Until when somebody has the claim to provision it; null when nobody has. Milliseconds since the epoch. */
  readonly claimedUntil: number | null;
  /** Why the last try failed. */
  readonly failure: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The verdict where the lower layer gives none. */
export const UNRESOLVED_CACHE: CacheInheritance = Object.freeze({
  status: "unavailable",
  reason: "target_identity_unresolved",
});

/** The result of a seated operation. */
export function toForkResult(
  operation: ForkOperation<unknown>,
  facts: { readonly replayed: boolean; readonly capabilities: StoreCapabilities },
): ForkResult {
  const origin = toLineage(operation);
  // Field by field: to spread an object costs several times as much.
  return Object.freeze({
    operationId: origin.operationId,
    sourceMemberAlias: origin.sourceMemberAlias,
    memberAlias: origin.memberAlias,
    sessionId: origin.sessionId,
    messageCount: origin.messageCount,
    prefixDigest: origin.prefixDigest,
    lineage: origin.lineage,
    agentIdentity: operation.agentIdentity ?? encodeAlias(operation.child.member),
    cacheInheritance: storedVerdict(operation.provision) ?? UNRESOLVED_CACHE,
    replayed: facts.replayed,
    degraded: missingCapabilities(facts.capabilities),
  });
}

/** An operation in the words of this package. */
export function toForkStatus(operation: ForkOperation<unknown>): ForkStatus {
  const { id, state, child, claim, failure, idempotencyKey, createdAt, updatedAt } = operation;
  return Object.freeze({
    ...toLineage(operation),
    operationId: id,
    state,
    role: child.role,
    labels: child.labels,
    idempotencyKey,
    claimedUntil: state === "committed" ? claim.expiresAt : null,
    failure: failure?.reason ?? null,
    createdAt,
    updatedAt,
  });
}

type Origin = Pick<
  ForkResult,
  | "operationId"
  | "sourceMemberAlias"
  | "memberAlias"
  | "sessionId"
  | "messageCount"
  | "prefixDigest"
  | "lineage"
>;

function toLineage({ id, source, child, request }: ForkOperation<unknown>): Origin {
  return {
    operationId: id,
    sourceMemberAlias: sourceAlias(request) ?? source.member,
    memberAlias: child.member,
    sessionId: child.sessionId,
    messageCount: source.len,
    prefixDigest: source.digest,
    lineage: Object.freeze({ sessionId: source.sessionId, len: source.len, digest: source.digest }),
  };
}

function sourceAlias(request: JsonObject): string | undefined {
  const alias = Object.hasOwn(request, "source") ? request["source"] : undefined;
  return typeof alias === "string" ? alias : undefined;
}

function storedVerdict(provision: unknown): CacheInheritance | undefined {
  if (!isJsonObject(provision) || !isJsonObject(provision["cacheInheritance"])) return undefined;
  return provision["cacheInheritance"] as unknown as CacheInheritance;
}

function missingCapabilities(capabilities: StoreCapabilities): readonly (keyof StoreCapabilities)[] {
  const names = Object.keys(capabilities) as (keyof StoreCapabilities)[];
  return Object.freeze(names.filter((name) => !capabilities[name]));
}
