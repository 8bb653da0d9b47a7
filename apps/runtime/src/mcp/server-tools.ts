import type { Tool } from "../tools/tool.ts";
import type { ServerStatus } from "./server-state.ts";

/** A server's tool. */
export interface ServerTool extends Tool {
  /** What the server says that a call does; shown to people, never believed. */
  readonly claims: readonly string[];
}

/** Hears how servers stand, whenever that changes. */
export type StatusListener = (status: ServerStatus) => void;

/** The servers of a workspace, whatever they are. */
export interface ServerTools {
  status(): readonly ServerStatus[];
  /** Their tools as they are now: a turn takes them once. */
  tools(): ReadonlyMap<string, ServerTool>;
  /** The answer stops the listening. */
  listen(listener: StatusListener): () => void;
  /** Ends every server; their processes are gone when it resolves. */
  close(): Promise<void>;
}

/** Servers that are named and not started. */
export function heldServers(status: readonly ServerStatus[]): ServerTools {
  return {
    status: () => status,
    tools: () => new Map(),
    listen: () => () => undefined,
    close: async () => undefined,
  };
}

/**
 * The tools of servers as they are now, whatever becomes of them: what a server no longer offers as it was is refused when it
 * is called. `report` is told of each status under which they are others.
 */
export function steadyTools(servers: ServerTools, report: (status: ServerStatus) => void): ServerTools {
  const tools = servers.tools();
  const isOther = (): boolean => {
    const now = servers.tools();
    return (
      now.size !== tools.size ||
      [...tools].some(([name, { identity }]) => now.get(name)?.identity !== identity)
    );
  };
  const silence = servers.listen((status) => {
    if (isOther()) report(status);
  });
  return {
    status: () => servers.status(),
    tools: () => tools,
    listen: (listener) => servers.listen(listener),
    close() {
      silence();
      return servers.close();
    },
  };
}
