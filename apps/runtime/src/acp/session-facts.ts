import type { SessionInfo } from "@agentclientprotocol/sdk";
import { visibleText } from "@basis/approval";
import { isSessionError, type SessionRecord } from "@mobkit/session";
import type { HostState } from "../store/open-state.ts";
import { RpcError } from "../rpc/rpc-error.ts";

const MAX_TITLE = 80;
/** Forks above a session that are looked at for its folder. */
const MAX_DEPTH = 64;

/**
 * A session that an editor may open: a ready one that is no delegated agent's.
 *
 * @throws RpcError `not_found`, `unavailable`.
 */
export async function findEditorSession({ store }: HostState, id: string): Promise<SessionRecord> {
  let record: SessionRecord;
  try {
    record = await store.head(id);
  } catch (error) {
    if (isSessionError(error, "unknown_session") || isSessionError(error, "invalid_request"))
      throw unknownSession(id);
    throw error;
  }
  if (record.spawnedBy !== undefined && record.spawnedBy !== null) throw unknownSession(id);
  if (record.state !== "ready")
    throw new RpcError("unavailable", `session ${id} is ${record.state} and takes no turn`, {
      kind: "session_unavailable",
      retry: "after_fix",
      state: record.state,
    });
  return record;
}

/** A session that is not there, or not open here. */
export function unknownSession(id: string): RpcError {
  return new RpcError("not_found", `there is no session ${JSON.stringify(id.slice(0, 256))}`, {
    kind: "unknown_session",
    sessionId: id.slice(0, 256),
  });
}

/** The folder that a session's turns ran in, or those of the session it was forked from; undefined before the first. */
async function folderOf({ store, events }: HostState, record: SessionRecord): Promise<string | undefined> {
  let at = record;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    for await (const event of events.read(at.id))
      if (event.type === "run_started") return event.data.workspace;
    if (at.parent === undefined || at.parent === null) return undefined;
    at = await store.head(at.parent.sessionId);
  }
  return undefined;
}

/** @throws RpcError `invalid_params` for a session whose turns ran in another folder. */
export async function requireFolder(state: HostState, record: SessionRecord, folder: string): Promise<void> {
  const own = await folderOf(state, record);
  if (own === undefined || own === folder) return;
  throw new RpcError("invalid_params", `the session belongs to the folder ${own}`, {
    kind: "other_folder",
    path: "cwd",
  });
}

/** A session as an editor lists it; undefined for one that it could not open. */
export async function sessionInfo(state: HostState, record: SessionRecord): Promise<SessionInfo | undefined> {
  if (record.state !== "ready" || record.spawnedBy) return undefined;
  const cwd = await folderOf(state, record);
  if (cwd === undefined) return undefined;
  const updatedAt = new Date(record.updatedAt).toISOString();
  return { sessionId: record.id, cwd, title: await titleOf(state, record), updatedAt };
}

/** The first words of what was asked first. */
async function titleOf({ store }: HostState, record: SessionRecord): Promise<string | null> {
  for await (const { body } of store.read(record.id, { to: 1 })) {
    if (body.role !== "user" || typeof body.content !== "string") return null;
    const line = body.content
      .trim()
      .split("\n", 1)[0]!
      .slice(0, 4 * MAX_TITLE);
    const shown = visibleText(line);
    return shown.length > MAX_TITLE ? `${shown.slice(0, MAX_TITLE - 1)}…` : shown;
  }
  return null;
}
