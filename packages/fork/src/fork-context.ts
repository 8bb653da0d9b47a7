import type { Clock } from "@basis/core";
import type { ForkMembers, ForkOperations, ForkStore, OnForkError, Provisioner } from "./fork-ports.ts";
import type { IdentityAuthority } from "./identity-authority.ts";
import type { Reservations } from "./reservations.ts";

/** What every call of one `createForks` works with. */
export interface ForkContext<M> {
  readonly store: ForkStore<M>;
  readonly members: ForkMembers;
  readonly operations: ForkOperations<M>;
  readonly provisioner: Provisioner<M>;
  readonly identityAuthority: IdentityAuthority | undefined;
  readonly reservations: Reservations;
  readonly onError: OnForkError | undefined;
  readonly clock: Clock;
  readonly claimTtlMs: number;
}
