/** What an authority knows of the identity behind an alias at one moment. */
export interface AliasOwner {
  /** The durable identity; every alias of it answers the same. */
  readonly identity: string;
  /** Rises with every reset; a generated alias of another generation is stale. */
  readonly generation: number;
  /** Only an identity that is `active` can be forked; other states are named in the refusal. */
  readonly state: "active" | "resetting" | "deleted" | (string & {});
}

/** A lifecycle that stands still: while held, the identity is neither reset nor deleted. */
export interface LifecycleHold {
  release(): void;
}

/**
 * A host's registry of durable identities, as far as a fork asks it. Optional: without one every source
 * counts as a raw member.
 *
 * Both methods reject only when the authority itself fails; the fork is then refused with `source_authority`.
 */
export interface IdentityAuthority {
  /**
   * The owner of a public alias: an identity's own name, or `rt:<identity>:<generation>` of any generation.
   * Undefined for a name that no identity owns. Takes no lock.
   */
  resolveAlias(alias: string, options: { readonly signal: AbortSignal }): Promise<AliasOwner | undefined>;
  /**
   * Waits for the identity's lifecycle and holds it. Whatever resets, deletes or moves the identity takes the
   * same hold. Rejects with the signal's reason when the wait is given up.
   */
  holdLifecycle(identity: string, options: { readonly signal: AbortSignal }): Promise<LifecycleHold>;
}
