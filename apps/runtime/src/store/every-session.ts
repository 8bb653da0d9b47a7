import type { SessionRecord, SessionState } from "@mobkit/session";
import type { HostStore } from "./host-store.ts";

/** Every session, oldest first; without a state, all but the deleted ones. */
export async function* everySession(
  store: HostStore,
  options: { readonly state?: SessionState; readonly signal?: AbortSignal } = {},
): AsyncGenerator<SessionRecord, void, undefined> {
  let after: string | undefined;
  do {
    const page = await store.listSessions({ ...options, limit: 1000, after });
    yield* page.items;
    after = page.next ?? undefined;
  } while (after !== undefined);
}
