import { isJsonObject, type JsonValue } from "@basis/core";
import type { HostStore } from "../../store/host-store.ts";
import type { WaitingChild } from "../../tools/tool.ts";
import type { SessionWriter } from "../transcript/session-writer.ts";

const KIND = "runtime.waiting_children";

/** Ends the execution of a delegation whose child waits: its call stays open, and its agent's turn parks with it. */
export class ChildWaitsError extends Error {
  override readonly name = "ChildWaitsError";
  readonly approvalId: string;

  constructor(approvalId: string) {
    super(`the child waits for approval ${approvalId}`);
    this.approvalId = approvalId;
  }
}

/** The children that calls of a session were waiting for when their turns parked, by call key. Not inherited by forks. */
export async function readWaitingChildren(
  store: HostStore,
  sessionId: string,
): Promise<ReadonlyMap<string, WaitingChild>> {
  const value = (await store.sideState(sessionId, KIND))?.value;
  return isJsonObject(value) ? new Map(Object.entries(value).flatMap(entryOf)) : new Map();
}

/** Keeps that a call waits for a child, so that the session goes on there. Whoever waited before it waits no more, or is kept by its own call. */
export async function keepWaitingChild(
  writer: SessionWriter,
  store: HostStore,
  waits: { readonly sessionId: string; readonly callKey: string; readonly child: WaitingChild },
): Promise<void> {
  const { openCalls } = await store.head(waits.sessionId);
  const others = openCalls.length > 1 ? await readWaitingChildren(store, waits.sessionId) : new Map();
  const value = Object.fromEntries([...others, [waits.callKey, { ...waits.child }]]) as JsonValue;
  await writer.update({ sideState: [{ kind: KIND, onFork: "reset", value }] });
}

function entryOf([callKey, value]: readonly [string, JsonValue | undefined]): readonly [
  string,
  WaitingChild,
][] {
  if (!isJsonObject(value ?? null)) return [];
  const { sessionId, agentId, name, planDigest, approvalId } = value as Record<string, unknown>;
  const child = { sessionId, agentId, name, planDigest, approvalId };
  return Object.values(child).every((field) => typeof field === "string")
    ? [[callKey, child as WaitingChild]]
    : [];
}
