import type { Recording } from "../state/recording.ts";
import type { Rpc } from "./rpc-client.ts";

/** How the page stands to where its events come from. */
export type SourceStatus =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** The connection was lost; it is tried again by itself. */
  | { readonly kind: "lost"; readonly why: string; readonly againAt: number }
  /** Nothing is tried again until somebody does something. */
  | { readonly kind: "refused"; readonly why: string; readonly remedy: string }
  /** A log that does not grow. */
  | { readonly kind: "file"; readonly name: string };

/** A session that the host knows, read or not. */
export interface ListedSession {
  readonly session: string;
  readonly member: string | null;
  readonly role: string | null;
  readonly state: string;
  readonly messages: number;
  readonly updated_at: string;
  readonly forked_from?: { readonly session: string; readonly at: number };
  readonly spawned_by?: { readonly session: string };
}

/** Where the page has its events from: a host, or a log that was opened. */
export interface Source {
  readonly recording: Recording;
  readonly status: SourceStatus;
  /** Every session of the host; empty for a log. */
  readonly listed: ReadonlyMap<string, ListedSession>;
  /** Calls of the host; undefined where nothing can be done. */
  readonly rpc: Rpc | undefined;
  /** Reads a session that was not read yet. */
  want(session: string): void;
  /** Tries again now. */
  retry(): void;
  /** Has every listener told that something changed. */
  tell(): void;
  /** Is told of every change; the answer ends that. */
  listen(listener: () => void): () => void;
}

/** A log that was opened: it is read once. */
export function logSource(name: string, recording: Recording): Source {
  return {
    recording,
    status: { kind: "file", name },
    listed: new Map(),
    rpc: undefined,
    want: () => undefined,
    retry: () => undefined,
    tell: () => undefined,
    listen: () => () => undefined,
  };
}
