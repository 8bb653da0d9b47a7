import { isSessionError, type SessionRecord } from "@mobkit/session";
import { StartError } from "../config/start-error.ts";
import type { HostStore } from "./host-store.ts";

/**
 * The session of that id or of the member of that name.
 *
 * @throws StartError `session`
 */
export async function findSession(store: HostStore, name: string): Promise<SessionRecord> {
  const member = await store.members.get(name);
  try {
    return await store.head(member?.sessionId ?? name);
  } catch (error) {
    if (!isSessionError(error, "unknown_session")) throw error;
    throw new StartError("session", [`there is no session '${name}'; see 'basis sessions list'`]);
  }
}
