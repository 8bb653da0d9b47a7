import type { SessionState } from "@mobkit/session";
import { listenTo, type Resync } from "./listen.ts";
import { channelOf } from "./notices.ts";
import type { Server } from "./server.ts";

/**
 * What a follower is told. `resync`: anything may have happened before this moment, so read what you follow; everything
 * that commits from here on is told. It comes first, and again after every lost connection. `changed`: a session's row is
 * at this revision, length and state, or at later ones.
 */
export type StoreNotice = Resync | SessionNotice;

/** A session's row has changed. */
interface SessionNotice {
  readonly kind: "changed";
  readonly sessionId: string;
  readonly rev: number;
  readonly len: number;
  readonly state: SessionState;
}

/** Whom to follow. */
export interface FollowRequest {
  /** Default: every session. */
  readonly sessionId?: string | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** Follows a store's changes on a connection of its own, for as long as somebody iterates. Lost connections are made anew. */
export function followStore(
  server: Server,
  { sessionId, signal }: FollowRequest,
): AsyncGenerator<StoreNotice, void, undefined> {
  const noticeOf = (payload: string): StoreNotice | undefined => {
    const notice = readNotice(payload);
    const isForeign = notice.kind === "changed" && sessionId !== undefined && notice.sessionId !== sessionId;
    return isForeign ? undefined : notice;
  };
  return listenTo(server, { channel: channelOf(server.options.schema), noticeOf, signal });
}

/** Who else may notify on the channel is no store of this release: what isn't understood means "look". */
function readNotice(payload: string): StoreNotice {
  try {
    const [sessionId, rev, len, state] = JSON.parse(payload) as [string, number, number, SessionState];
    return Object.freeze({ kind: "changed", sessionId, rev, len, state });
  } catch {
    return { kind: "resync" };
  }
}
