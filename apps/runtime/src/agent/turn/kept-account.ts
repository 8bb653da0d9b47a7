import { isJsonObject } from "@basis/core";
import type { SideStateWrite } from "@mobkit/session";
import { whenThere, type Later } from "../../events/event-log.ts";
import type { HostStore } from "../../store/host-store.ts";
import { promptCalls } from "../../store/prompt-calls.ts";
import type { RunBounds, TreeAccount } from "../run/run-bounds.ts";

const KIND = "runtime.tree_account";

/** The typed answer that a waiting turn ends with. */
export type WaitingOutput = {
  /** A digest of its schema. */
  readonly schema: string;
  /** Candidates that were judged before it waited. */
  readonly attempts: number;
};

/**
 * Keeps what a turn has used and how it is to end, so that its limits count over going on, after a wait or after its
 * process died. Not inherited by forks.
 */
export function keepAccount(bounds: RunBounds, output: WaitingOutput | undefined): readonly SideStateWrite[] {
  return [{ kind: KIND, onFork: "reset", value: { ...bounds.account, ...(output && { output }) } }];
}

/** The typed answer that a session's waiting turn ends with; undefined for a turn in prose, and without one. */
export async function readWaitingOutput(
  store: HostStore,
  sessionId: string,
): Promise<WaitingOutput | undefined> {
  const value = (await store.sideState(sessionId, KIND))?.value;
  const output = isJsonObject(value) ? value["output"] : undefined;
  if (!isJsonObject(output)) return undefined;
  const { schema, attempts } = output;
  return typeof schema === "string" ? { schema, attempts: Number(attempts) } : undefined;
}

/** Forgets the account of a turn that has ended; nothing to write where there is none. */
export function clearAccount(store: HostStore, sessionId: string): Later<readonly SideStateWrite[]> {
  return whenThere(promptCalls(store).sideState(sessionId, KIND), (kept) =>
    kept === undefined || kept.value === null ? NOTHING : [{ kind: KIND, onFork: "reset", value: null }],
  );
}

const NOTHING: readonly SideStateWrite[] = [];

/** What a turn that has not ended had used, as far as it was kept. */
export async function readAccount(store: HostStore, sessionId: string): Promise<TreeAccount | undefined> {
  const value = (await store.sideState(sessionId, KIND))?.value;
  if (!isJsonObject(value)) return undefined;
  return { children: Number(value["children"]), tokens: Number(value["tokens"]) };
}
