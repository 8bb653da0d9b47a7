import type { McpServer } from "./mcp-server.ts";
import type { AskedServer } from "./server-request.ts";
import type { ServerStatus } from "./server-state.ts";
import type { StatusListener } from "./server-tools.ts";

/** A server that runs, and who hears of it. */
export interface PooledServer {
  readonly server: McpServer;
  readonly listeners: Set<StatusListener>;
}

interface Seat extends PooledServer {
  users: number;
}

/** Makes a server that is not there yet. */
export type MakeServer = (asked: AskedServer, announce: (status: ServerStatus) => void) => McpServer;

/**
 * The servers of a workspace by what was granted: when its files are read anew, one whose entry and code are the same runs on.
 * It is closed once nobody uses it.
 */
export class ServerPool {
  readonly #seats = new Map<string, Seat>();

  /** A server that runs already, or a new one, which `isNew` and not open. One that failed is made anew. */
  take(asked: AskedServer, make: MakeServer): PooledServer & { readonly isNew: boolean } {
    const key = asked.pinned.grant.digest;
    const known = this.#seats.get(key);
    if (known !== undefined && known.server.status.state !== "failed") {
      known.users += 1;
      return { ...known, isNew: false };
    }
    const listeners = new Set<StatusListener>();
    const announce = (status: ServerStatus): void => {
      for (const listener of listeners) listener(status);
    };
    const seat: Seat = { server: make(asked, announce), listeners, users: 1 };
    this.#seats.set(key, seat);
    return { ...seat, isNew: true };
  }

  /** Ends the use of a server; resolves when it is closed, should it have been the last. */
  async release({ server }: PooledServer): Promise<void> {
    for (const [key, seat] of this.#seats) {
      if (seat.server !== server) continue;
      seat.users -= 1;
      if (seat.users > 0) return;
      this.#seats.delete(key);
    }
    await server.close();
  }
}
