import { manualClock } from "@basis/core/testing";
import { openState, type HostState } from "../../../src/store/open-state.ts";
import type { Bench } from "./bench.ts";

/** Works on a bench's store as of that many days ago. */
export async function daysAgo(
  bench: Bench,
  days: number,
  work: (state: HostState) => Promise<void>,
): Promise<void> {
  const state = await openState(bench.data, { clock: manualClock(Date.now() - days * 86_400_000) });
  try {
    await work(state);
  } finally {
    await state.close();
  }
}

/** A session of that many messages of some length; answers its id. */
export async function writeSession(
  { store }: HostState,
  member: string,
  { messages, length = 100 }: { readonly messages: number; readonly length?: number },
): Promise<string> {
  const { id } = await store.createSession({ member, role: "main" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 60_000 });
  const text = "x".repeat(length);
  for (let written = 0, rev = 0; written < messages;) {
    const batch = Math.min(200, messages - written);
    const list = Array.from({ length: batch }, (_, at) => ({
      role: "user" as const,
      content: `${written + at} ${text}`,
    }));
    ({ rev } = await store.append(id, { lease, expectedRev: rev, messages: list }));
    written += batch;
  }
  await store.releaseLease(lease);
  return id;
}
