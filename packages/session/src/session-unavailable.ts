import { SessionError } from "./session-error.ts";
import type { SessionRecord } from "./session-record.ts";

/** The refusal of a session whose state doesn't allow what was asked. */
export function sessionUnavailable(session: SessionRecord): SessionError<"session_unavailable"> {
  return new SessionError("session_unavailable", `session ${session.id} is ${session.state}`, {
    details: { sessionId: session.id, state: session.state },
  });
}

/** The refusal of an id that the store doesn't know. */
export function unknownSession(sessionId: string): SessionError<"unknown_session"> {
  return new SessionError("unknown_session", `there is no session ${sessionId}`, { details: { sessionId } });
}

/** The refusal of the rest of a read whose rows were collected meanwhile: deleted, cancelled or moved an hour ago and more. */
export function readOvertaken({ id, state }: SessionRecord): SessionError<"session_unavailable"> {
  const message = `session ${id} was changed while it was read, and what it held then has been collected: read it again`;
  return new SessionError("session_unavailable", message, { details: { sessionId: id, state } });
}
