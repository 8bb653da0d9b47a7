import type {
  CallOptions,
  ForkLedger,
  MemberRegistry,
  SessionForks,
  SessionStore,
  SideState,
} from "@mobkit/session";
import type { CacheInheritance } from "./fork-result.ts";
import type { ForkErrorKind } from "./fork-error.ts";
import type { ToolAccessPolicy } from "./tool-access.ts";

/** What a fork needs of the member registry. */
export type ForkMembers = Pick<MemberRegistry, "get" | "holder">;

/** What a fork needs of the ledger of fork operations. */
export type ForkOperations<M> = ForkLedger<M>;

/** What a fork needs of a session store; every `SessionStore` is one. */
export interface ForkStore<M> extends Pick<SessionStore<M>, "shape" | "capabilities"> {
  readonly members: ForkMembers;
  readonly operations: ForkOperations<M>;
  /** Without `inspect`, nothing can be previewed; without `source`, a source is looked up by three calls instead of one. */
  readonly forks: Pick<SessionForks<M>, "commit" | "seat" | "abandon"> &
    Partial<Pick<SessionForks<M>, "inspect" | "source">>;
  sideState(sessionId: string, kind: string, options?: CallOptions): Promise<SideState | undefined>;
}

/** A committed child session that is to become a running member. */
export interface ProvisionRequest<M> {
  readonly operationId: string;
  /** The child's session; its history is there already, its state is `pending`. */
  readonly sessionId: string;
  readonly member: string;
  readonly role: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The claim's fence: rises with every try, and only what the highest one built may act. */
  readonly epoch: number;
  /** To know, not to deliver: the store hands it to the child with the seat, once. */
  readonly initialMessage?: M;
  /** `provider/id`; absent: the source's. */
  readonly model?: string;
  /** The source's policy narrowed by the request's; absent when neither has one. */
  readonly toolAccessPolicy?: ToolAccessPolicy;
}

/** What a provisioner answers; `{}` is enough. */
export interface Provisioned {
  /** Who the member is to the outside. Default: its roster id, `encodeAlias(member)`. */
  readonly agentIdentity?: string;
  /** Passed through as it is. Default: unavailable, `target_identity_unresolved`. */
  readonly cacheInheritance?: CacheInheritance;
}

/** The host's way of bringing a member with a durable session to life: its ordinary resume path. */
export interface Provisioner<M> {
  /**
   * Builds the member. A rejection leaves the fork committed and resumable. The signal aborts when the claim is
   * lost, and at the call's deadline; it does not follow the caller's own signal.
   */
  provision(request: ProvisionRequest<M>, options: { readonly signal: AbortSignal }): Promise<Provisioned>;
  /** Takes down what an earlier `provision` built and nobody will seat. What it throws is ignored. */
  tearDown?(built: {
    readonly operationId: string;
    readonly sessionId: string;
    readonly epoch: number;
  }): Promise<void>;
  /** Whether a role exists. Without it every role counts as known. */
  hasRole?(role: string, options: { readonly signal: AbortSignal }): boolean | Promise<boolean>;
}

/** A fork that seated no member. Telemetry: the thrown `ForkError` alone tells whether to retry or to resume. */
export interface SpawnFailure {
  readonly type: "spawn_failure";
  readonly member: string;
  readonly role: string;
  readonly kind: ForkErrorKind;
  readonly message: string;
  readonly committed: boolean;
  readonly forkSessionId?: string;
}

/** Told of every failure but `invalid_request` and `source_authority`. Never awaited; what it throws is ignored. */
export type OnForkError = (failure: SpawnFailure) => void | Promise<void>;
