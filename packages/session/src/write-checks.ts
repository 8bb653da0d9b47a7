import { emptyUsage, type TokenUsage } from "@basis/core";
import type { Lease } from "./lease.ts";
import { checkCount, checkName, encodeJson, invalidRequest } from "./request-checks.ts";
import type { SessionChange } from "./session-write.ts";
import type { ForkBehaviour } from "./side-state.ts";

const NONE: readonly never[] = Object.freeze([]);

const FORK_BEHAVIOURS: readonly ForkBehaviour[] = Object.freeze(["share", "copy", "reset"]);

/** Refuses a fenced write that no store could carry out. @throws SessionError `invalid_request`. */
export function checkChange<Tx>(change: SessionChange<Tx>): void {
  checkLease(change.lease);
  checkCount("expectedRev", change.expectedRev);
  checkRepeatable(change);
  checkFlag("release", change.release);
  if (change.runTurn !== null) checkOptionalName("runTurn", change.runTurn);
  if (change.requestHead !== null) checkOptionalName("requestHead", change.requestHead);
  checkUsage(change.usage);
  checkSideState(change);
  if (change.events !== undefined) checkList("events", change.events).forEach(checkEvent);
  if (change.consumes !== undefined)
    for (const eventId of checkList("consumes", change.consumes)) checkName("consumes", eventId);
}

/** Refuses a write id that is no name and a join that can't be called. @throws SessionError `invalid_request`. */
export function checkRepeatable(write: { readonly writeId?: unknown; readonly join?: unknown }): void {
  checkOptionalName("writeId", write.writeId);
  if (write.join !== undefined && typeof write.join !== "function") {
    throw invalidRequest("join", "must be a function");
  }
}

/** Refuses what `acquireLease` can't have answered. @throws SessionError `invalid_request`. */
export function checkLease(lease: Lease): void {
  const given: unknown = lease;
  if (typeof given !== "object" || given === null) throw invalidRequest("lease", "must be an acquired lease");
  checkName("lease.sessionId", lease.sessionId);
  checkName("lease.owner", lease.owner);
  checkCount("lease.epoch", lease.epoch);
}

/** A list of objects or texts; empty when it is left out. @throws SessionError `invalid_request`. */
export function checkList<Item>(field: string, list: readonly Item[] | undefined): readonly Item[] {
  if (list === undefined) return NONE;
  if (!Array.isArray(list)) throw invalidRequest(field, "must be a list");
  for (const item of list as readonly unknown[]) {
    if (item === undefined || item === null)
      throw invalidRequest(field, "holds nothing where an item belongs");
  }
  return list;
}

/** Refuses what has no fields to be read. @throws SessionError `invalid_request`. */
export function checkRecord(field: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidRequest(field, "must be an object");
}

function checkFlag(field: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") throw invalidRequest(field, "must be true or false");
}

function checkOptionalName(field: string, value: unknown): void {
  if (value !== undefined) checkName(field, value);
}

function checkUsage(usage: SessionChange["usage"]): void {
  if (usage === undefined) return;
  checkRecord("usage", usage);
  for (const field in usage) {
    if (!Object.hasOwn(usage, field)) continue;
    if (!Object.hasOwn(emptyUsage, field)) throw invalidRequest(`usage.${field}`, "is no count of tokens");
    const tokens = usage[field as keyof TokenUsage] ?? 0;
    if (!Number.isSafeInteger(tokens) || tokens < 0) checkCount(`usage.${field}`, tokens);
  }
}

function checkSideState<Tx>(change: SessionChange<Tx>): void {
  if (change.sideState === undefined) return;
  const kinds = new Set<string>();
  for (const { kind, onFork, value, expectedVersion } of checkList("sideState", change.sideState)) {
    encodeJson(`sideState.${checkName("sideState.kind", kind)}`, value);
    if (!FORK_BEHAVIOURS.includes(onFork)) {
      throw invalidRequest("sideState.onFork", `is none of ${FORK_BEHAVIOURS.join(", ")}`);
    }
    if (expectedVersion !== undefined) checkCount("sideState.expectedVersion", expectedVersion);
    if (kinds.has(kind)) throw invalidRequest("sideState", `names ${kind} twice`);
    kinds.add(kind);
  }
}

function checkEvent({ key, kind, payload }: NonNullable<SessionChange["events"]>[number]): void {
  checkName("events.kind", kind);
  encodeJson(`events.${checkName("events.key", key)}`, payload);
}
