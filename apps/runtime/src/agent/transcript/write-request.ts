import type { AppendRequest, Lease, SessionChange } from "@mobkit/session";
import type { ModelMessage } from "../../providers/model.ts";
import type { StoredMessage } from "./storable.ts";

/** The fields of a write that its writer fills in. */
export type Fenced = "lease" | "expectedRev" | "writeId" | "signal";

/** What every write carries beside its own content. */
export interface Fence {
  readonly lease: Lease;
  readonly expectedRev: number;
  /** Absent where no reply gets lost. */
  readonly writeId: string | undefined;
}

/** What an append changes beside its rows. */
export type AppendChange = Omit<AppendRequest<ModelMessage, never>, Fenced | "messages">;

/** What an update changes. */
export type UpdateChange = Omit<SessionChange<never>, Fenced>;

/** What of a change a writer looks at. */
export type FreeingChange = Pick<SessionChange<never>, "runTurn" | "release">;

/** Every field, so that one that is new cannot be forgotten here. */
type Whole<T> = { readonly [Field in keyof Required<T>]: T[Field] };

/** An append as the store takes it. Field by field: what is spread together is slow to make and slow to read. */
export function appendRequest(
  messages: readonly StoredMessage[],
  change: AppendChange,
  { lease, expectedRev, writeId }: Fence,
): AppendRequest<ModelMessage, never> {
  const request: Whole<AppendRequest<ModelMessage, never>> = {
    lease,
    expectedRev,
    writeId,
    signal: undefined,
    messages,
    ids: change.ids,
    turnId: change.turnId,
    runTurn: change.runTurn,
    usage: change.usage,
    queuedInputs: change.queuedInputs,
    pendingApprovals: change.pendingApprovals,
    requestHead: change.requestHead,
    sideState: change.sideState,
    blobs: change.blobs,
    mark: change.mark,
    events: change.events,
    consumes: change.consumes,
    join: change.join,
    release: change.release,
  };
  return request;
}

/** An update as the store takes it, written out as an append is. */
export function updateRequest(
  change: UpdateChange,
  { lease, expectedRev, writeId }: Fence,
): SessionChange<never> {
  const request: Whole<SessionChange<never>> = {
    lease,
    expectedRev,
    writeId,
    signal: undefined,
    runTurn: change.runTurn,
    usage: change.usage,
    queuedInputs: change.queuedInputs,
    pendingApprovals: change.pendingApprovals,
    requestHead: change.requestHead,
    sideState: change.sideState,
    events: change.events,
    consumes: change.consumes,
    join: change.join,
    release: change.release,
  };
  return request;
}
