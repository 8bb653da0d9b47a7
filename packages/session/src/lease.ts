/**
 * The right to write to one session. Every write carries it; a write whose `epoch` is no longer the session's is
 * `stale_fence`. Expiry only decides when somebody else may acquire, so a wrong clock can refuse but never let two write.
 */
export interface Lease {
  readonly sessionId: string;
  readonly owner: string;
  readonly epoch: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly expiresAt: number;
  readonly ttlMs: number;
}

/** Who wants a lease and for how long. */
export interface LeaseRequest {
  /** Names the process or task in refusals; it grants nothing: a held lease is refused to the same name as well. */
  readonly owner: string;
  /** 1 to 3,600,000. */
  readonly ttlMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The right to provision one fork. The claim's `epoch` is the fence that the provisioner gets; when it is no longer the
 * operation's, somebody else goes on, and the holder tears down what it built.
 */
export interface Claim {
  readonly operationId: string;
  readonly owner: string;
  readonly epoch: number;
  readonly expiresAt: number;
  readonly ttlMs: number;
}
