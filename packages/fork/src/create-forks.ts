import { systemClock, type Clock } from "@basis/core";
import type { Page } from "@mobkit/session";
import { openDeadline } from "./deadline.ts";
import type { ForkContext } from "./fork-context.ts";
import { isForkError } from "./fork-error.ts";
import { forkMember, readForkCall } from "./fork-member.ts";
import type { ForkMembers, ForkOperations, ForkStore, OnForkError, Provisioner } from "./fork-ports.ts";
import type { ForkMemberOptions, ForkMemberSpec } from "./fork-request.ts";
import type { ForkResult, ForkStatus } from "./fork-result.ts";
import { findOperation, type ForkTarget } from "./fork-target.ts";
import type { IdentityAuthority } from "./identity-authority.ts";
import {
  abandonFork,
  forkStatus,
  listForks,
  type ForkCallOptions,
  type ListForksOptions,
} from "./operations.ts";
import { previewFork, type ForkPreview } from "./preview-fork.ts";
import { createReservations, type Reservations } from "./reservations.ts";
import { checkParts } from "./request-fields.ts";
import { readResumeCall, resumeFork, type ResumeForkOptions } from "./resume-fork.ts";
import { createRunningForks } from "./running-forks.ts";

/** What forks are made with. */
export interface CreateForksOptions<M> {
  readonly store: ForkStore<M>;
  readonly provisioner: Provisioner<M>;
  /** Default: none; every source is a raw member then. */
  readonly identityAuthority?: IdentityAuthority | undefined;
  readonly onError?: OnForkError | undefined;
  readonly clock?: Clock | undefined;
  /** Default: the store's own. */
  readonly members?: ForkMembers | undefined;
  /** Default: the store's own. */
  readonly operations?: ForkOperations<M> | undefined;
  /** The locks; pass the ones that the host takes for its own spawns, so that both exclude each other. */
  readonly reservations?: Reservations | undefined;
  /** How long a fork may be left alone after its process died before another may resume it. Default 15,000. */
  readonly claimTtlMs?: number | undefined;
}

/** Durable forks over one store. Every method rejects with a `ForkError` alone. */
export interface Forks<M> {
  /**
   * Forks a member's transcript into a new member: refuses, or commits, provisions and seats. The signal and the
   * deadline end a wait and whatever comes before the commit; then the fork runs to its end whoever listens.
   */
  forkMember(source: string, spec: ForkMemberSpec<M>, options?: ForkMemberOptions): Promise<ForkResult>;
  /**
   * What `forkMember` with the same arguments would begin with, or its refusal: every check of it, and nothing written,
   * provisioned or told to `onError`. Another call may still come in between.
   */
  previewFork(source: string, spec: ForkMemberSpec<M>, options?: ForkMemberOptions): Promise<ForkPreview>;
  /** Seats a child that was committed and not seated; one that is seated is answered with `replayed`. */
  resumeFork(target: ForkTarget, options?: ResumeForkOptions): Promise<ForkResult>;
  /** Gives a committed fork up; its child is deleted and its name free. */
  abandonFork(target: ForkTarget, options?: ForkCallOptions): Promise<ForkStatus>;
  forkStatus(target: ForkTarget, options?: ForkCallOptions): Promise<ForkStatus>;
  /** Oldest first. `{state: "committed"}` are the forks that wait for a resume. */
  listForks(options?: ListForksOptions): Promise<Page<ForkStatus>>;
  /** Refuses new forks and waits for the running ones. */
  shutdown(options?: ForkCallOptions): Promise<void>;
}

const CLAIM_TTL_MS = 15_000;

/**
 * Binds the fork protocol to a store and to the host's way of bringing members to life.
 *
 * @throws ForkError `invalid_request` naming the part that is none.
 */
export function createForks<M>(options: CreateForksOptions<M>): Forks<M> {
  checkParts({ ...options });
  const context = toContext(options);
  const running = createRunningForks();
  return {
    forkMember: (source, spec, given = {}) =>
      running.run(async () => {
        const call = readForkCall(context, source, { spec, options: given });
        const member = { member: call.request.child, role: call.request.role };
        return reporting(context, member, () => forkMember(context, call, given));
      }),
    previewFork: (source, spec, given = {}) =>
      running.run(() => previewFork(context, readForkCall(context, source, { spec, options: given }), given)),
    resumeFork: (target, given = {}) =>
      running.run(async () => {
        const call = readResumeCall(context, target, given);
        const deadline = openDeadline(given, context.clock);
        try {
          const asked = { signal: deadline.waiting, stage: "resume" } as const;
          const operation = await findOperation(context, call.target, asked);
          const { child } = operation;
          const member = { member: call.member ?? child.member, role: call.role ?? child.role };
          return await reporting(context, member, () => resumeFork(context, { call, operation }, deadline));
        } finally {
          deadline.release();
        }
      }),
    abandonFork: (target, given = {}) => abandonFork(context, target, given),
    forkStatus: (target, given = {}) => forkStatus(context, target, given),
    listForks: (given = {}) => listForks(context, given),
    shutdown: (given) => running.shutdown(given),
  };
}

function toContext<M>(options: CreateForksOptions<M>): ForkContext<M> {
  const { store, provisioner, identityAuthority, onError } = options;
  return {
    store,
    members: options.members ?? store.members,
    operations: options.operations ?? store.operations,
    provisioner,
    identityAuthority,
    reservations: options.reservations ?? createReservations(),
    onError,
    clock: options.clock ?? systemClock,
    claimTtlMs: options.claimTtlMs ?? CLAIM_TTL_MS,
  };
}

/** Tells the error hook of a failure, and lets it change nothing. */
async function reporting<M, T>(
  context: ForkContext<M>,
  child: { readonly member: string; readonly role: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    report(context.onError, child, error);
    throw error;
  }
}

function report(
  onError: OnForkError | undefined,
  child: { readonly member: string; readonly role: string },
  error: unknown,
): void {
  if (onError === undefined || !isForkError(error)) return;
  const { kind, message, committed, details } = error;
  if (kind === "invalid_request" || kind === "source_authority") return;
  const { forkSessionId } = details as { readonly forkSessionId?: string };
  const session = forkSessionId === undefined ? {} : { forkSessionId };
  const failure = { type: "spawn_failure", ...child, kind, message, committed, ...session } as const;
  try {
    Promise.resolve(onError(failure)).catch(() => undefined);
  } catch {
    // The hook is telemetry: its failure is not the fork's.
  }
}
