import type { JsonObject, JsonValue } from "@basis/core";
import type { Claim } from "./lease.ts";
import type { Labels } from "./member.ts";
import type { CallOptions, Page, PageRequest } from "./page.ts";

/** `committed`: the child exists and waits to be seated. `seated` and `abandoned` are final. */
export type ForkOperationState = "committed" | "seated" | "abandoned";

/** The member that a fork makes. */
export interface ForkChild {
  readonly member: string;
  readonly role: string;
  readonly labels: Labels;
}

/** One fork as the ledger keeps it. Frozen. */
export interface ForkOperation<M> {
  /** A UUID of version 7: ids sort by age. */
  readonly id: string;
  readonly state: ForkOperationState;
  readonly idempotencyKey: string | null;
  /** What the key stands for; compared when the key comes again. `@mobkit/fork` writes "none" where there is no key. */
  readonly requestDigest: string;
  /** The request as the fork layer wants it back; the store doesn't read it. */
  readonly request: JsonObject;
  readonly source: {
    readonly member: string;
    readonly sessionId: string;
    readonly len: number;
    readonly digest: string;
  };
  readonly child: ForkChild & { readonly sessionId: string };
  readonly initialMessage: M | null;
  /** Kinds of side state that the child starts without, because they were to be reset or were younger than the boundary. */
  readonly sideStateReset: readonly string[];
  readonly claim: {
    readonly epoch: number;
    readonly owner: string | null;
    readonly expiresAt: number | null;
  };
  /** Why the last try to provision failed; null before and after a success. */
  readonly failure: { readonly reason: string; readonly at: number } | null;
  /** What the provisioner answered, from the seat on. */
  readonly agentIdentity: string | null;
  readonly provision: JsonValue;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Who wants to provision a fork and for how long it may take. */
export interface ClaimRequest {
  readonly operationId: string;
  readonly owner: string;
  /** 1 to 3,600,000. */
  readonly ttlMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a resume may change before the seat. */
export interface ForkAmendment {
  readonly member?: string | undefined;
  readonly role?: string | undefined;
  readonly labels?: Labels | undefined;
  /** Replaces the stored request. */
  readonly request?: JsonObject | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The fork ledger of a store. Every change is a compare-and-set on one operation: `claim` bumps its epoch, and what
 * carries an older one is `stale_claim`.
 */
export interface ForkLedger<M> {
  get(operationId: string, options?: CallOptions): Promise<ForkOperation<M> | undefined>;
  /** By the child's session. */
  ofSession(sessionId: string, options?: CallOptions): Promise<ForkOperation<M> | undefined>;
  ofKey(idempotencyKey: string, options?: CallOptions): Promise<ForkOperation<M> | undefined>;
  /** By id, oldest first. */
  list(
    request?: PageRequest & { readonly state?: ForkOperationState | undefined },
  ): Promise<Page<ForkOperation<M>>>;
  /**
   * Takes the claim of a committed operation that nobody holds, or whose claim has expired.
   * @throws SessionError `unknown_operation`, `claim_held`, `operation_closed` (its `details.state` tells a seated one,
   * for which a resume has nothing left to do).
   */
  claim(request: ClaimRequest): Promise<Claim>;
  /** Moves the expiry. @throws SessionError `stale_claim`, `operation_closed`. */
  renew(claim: Claim, options?: CallOptions & { readonly ttlMs?: number | undefined }): Promise<Claim>;
  /** Lets go and notes why provisioning failed; the operation stays committed. @throws SessionError `stale_claim`, `operation_closed`. */
  fail(claim: Claim, failure: CallOptions & { readonly reason: string }): Promise<ForkOperation<M>>;
  /**
   * Renames or re-roles the child before its seat; a new name is reserved and the old one freed in one transaction.
   * @throws SessionError `stale_claim`, `operation_closed`, `member_already_exists`.
   */
  amend(claim: Claim, amendment: ForkAmendment): Promise<ForkOperation<M>>;
}
