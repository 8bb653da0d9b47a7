import type { EventScope } from "../../events/event-emitter.ts";
import type { HostStore } from "../../store/host-store.ts";

/**
 * The length that the session had before the run: before its prompt, but behind inputs that were delivered to it, which
 * a cancel keeps; and nowhere within an open call of an earlier run.
 */
export async function beginningOf(
  store: HostStore,
  { session, run }: Pick<EventScope, "session" | "run">,
): Promise<number> {
  const { baseLen, len, parent } = await store.head(session);
  let first = len;
  let leading = 0;
  for await (const { position, turnId, body } of store.read(session, { from: baseLen })) {
    if (turnId !== run) continue;
    first = Math.min(first, position);
    if (body.role !== "user") break;
    leading += 1;
  }
  const isFirstOfFork = parent !== null && first === baseLen && leading === 1;
  const kept = isFirstOfFork ? 1 : Math.max(0, leading - 1);
  return (await store.prefix(session, first + kept)).nearestBefore;
}
