/**
 * How a server stands. `idle`: trusted and not started. `late`: still starting when the open did not wait any longer.
 */
export type ServerState = "idle" | "starting" | "late" | "ready" | "lost" | "failed" | "untrusted" | "closed";

/** A server as it stands now. */
export interface ServerStatus {
  readonly server: string;
  /** The command that starts it, or its address. */
  readonly reachedBy: string;
  readonly state: ServerState;
  /** Names of its tools, as a model calls them. */
  readonly tools: readonly string[];
  /** Why it is not ready, or what of it was left out. */
  readonly reason?: string | undefined;
  /** Tools that are not what they were before. */
  readonly changed?: readonly string[] | undefined;
}

/** `files: ready, 14 tools`. */
export function statusInWords({ server, state, tools, reason, changed = [] }: ServerStatus): string {
  const count = state === "ready" ? `, ${tools.length} ${tools.length === 1 ? "tool" : "tools"}` : "";
  const other = changed.length === 0 ? "" : `, other than before: ${changed.join(", ")}`;
  return `MCP server '${server}': ${state}${count}${other}${reason === undefined ? "" : ` (${reason})`}`;
}

/** A status that a log tells; what has not begun or is over is not. */
export type ToldStatus = ServerStatus & { readonly state: "ready" | "late" | "lost" | "failed" };

const told: ReadonlySet<ServerState> = new Set<ToldStatus["state"]>(["ready", "late", "lost", "failed"]);

/** True for a status that a log tells. */
export function isTold(status: ServerStatus): status is ToldStatus {
  return told.has(status.state);
}
