import type { ModelMessage, SessionStore } from "@mobkit/session";
import type { SqliteStore } from "@mobkit/session-sqlite";
import {
  createForks,
  isForkError,
  type CacheInheritance,
  type ForkMemberSpec,
  type Forks,
  type ForkStore,
  type Provisioner,
} from "@mobkit/fork";

declare const error: unknown;
declare const sqlite: SqliteStore<ModelMessage>;
declare const anyStore: SessionStore<ModelMessage>;
declare const provisioner: Provisioner<ModelMessage>;

/** `kind` narrows `details`. */
if (isForkError(error)) {
  if (error.kind === "fork_boundary") error.details.nearestAfter satisfies number | null;
  if (error.kind === "fork_member_provision_failed") error.details.operationId satisfies string;
  // @ts-expect-error there is no such kind
  void (error.kind === "fork_lost");
}
if (isForkError(error, "fork_conflict")) error.details.idempotencyKey satisfies string;

/** Every session store is a fork's store. */
sqlite satisfies ForkStore<ModelMessage>;
anyStore satisfies ForkStore<ModelMessage>;
createForks({ store: sqlite, provisioner }) satisfies Forks<ModelMessage>;

const spec: ForkMemberSpec<ModelMessage> = { identity: "b", role: "general", initialMessage: "text" };
({ ...spec, initialMessage: { role: "user", content: "text" } }) satisfies ForkMemberSpec<ModelMessage>;
// @ts-expect-error a durable fork takes no other launch mode
({ ...spec, launchMode: "fork" }) satisfies ForkMemberSpec<ModelMessage>;
// @ts-expect-error a verdict has no other reasons
({ status: "unavailable", reason: "because" }) satisfies CacheInheritance;
