import type { TranscriptShape } from "@mobkit/session";
import type { DatabaseTime } from "./database-time.ts";
import type { Server } from "./server.ts";
import type { SessionCache } from "./session-cache.ts";
import type { Transactions } from "./transactions.ts";

/** What the faces of an open store share. */
export interface StoreContext<M> {
  readonly server: Server;
  readonly transactions: Transactions;
  readonly cache: SessionCache;
  readonly time: DatabaseTime;
  readonly shape: TranscriptShape<M>;
}
