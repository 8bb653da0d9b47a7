import { isJsonObject } from "@basis/core";
import type { SideStateWrite } from "@mobkit/session";
import type { HostStore } from "../store/host-store.ts";
import type { RunBounds, TreeAccount } from "./run-bounds.ts";

const KIND = "runtime.tree_account";

/** Keeps what a waiting turn has used, so that its limits count over going on. Not inherited by forks. */
export function keepAccount(bounds: RunBounds): readonly SideStateWrite[] {
  return [{ kind: KIND, onFork: "reset", value: bounds.account }];
}

/** Forgets the account of a turn that has ended; nothing to write where there is none. */
export async function clearAccount(store: HostStore, sessionId: string): Promise<readonly SideStateWrite[]> {
  const kept = await store.sideState(sessionId, KIND);
  return kept === undefined || kept.value === null ? [] : [{ kind: KIND, onFork: "reset", value: null }];
}

/** What a waiting turn had used. */
export async function readAccount(store: HostStore, sessionId: string): Promise<TreeAccount | undefined> {
  const value = (await store.sideState(sessionId, KIND))?.value;
  if (!isJsonObject(value)) return undefined;
  return { children: Number(value["children"]), tokens: Number(value["tokens"]) };
}
