interface ServerTimes {
  readonly name: string;
  /** How long an open waits for it; a later server joins when it is ready. */
  readonly startTimeoutMs: number;
  /** How long one call may take. */
  readonly callTimeoutMs: number;
}

/** A server that is a program of this machine. */
export interface StdioServer extends ServerTimes {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** May hold `${NAME}`. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the workspace. */
  readonly cwd: string;
  /** What its code imports or reads, pinned as well. */
  readonly files: readonly string[];
}

/** A server that is reached by streamable HTTP. */
export interface HttpServer extends ServerTimes {
  readonly type: "http";
  readonly url: string;
  /** May hold `${NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One entry of `.mcp.json`, its defaults filled in. */
export type ServerSettings = StdioServer | HttpServer;

/** The command or the address, without what may be secret. */
export function reachedBy(server: ServerSettings): string {
  return server.type === "stdio" ? [server.command, ...server.args].join(" ") : server.url;
}
