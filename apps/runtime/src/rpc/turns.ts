import type { TurnRequest } from "./server-turns.ts";
import type { TurnEnd, TurnNames } from "./turn-end.ts";

/** The turns that a server starts: in its own process, or in the queue that workers serve. */
export interface Turns {
  /** Resolves once the turn has begun, or waits in the queue. @throws RpcError, SessionError, QueueError */
  start(request: TurnRequest): Promise<TurnNames>;
  /** How a turn ended, once it has. @throws RpcError `not_found` */
  wait(run: string, signal: AbortSignal): Promise<TurnEnd>;
  /** Asks a turn to end and keep its work; false when it has ended. @throws RpcError `not_found` */
  stop(run: string): boolean | Promise<boolean>;
  /** Asks a turn to end and be rolled back; false when it has ended. @throws RpcError `not_found` */
  cancel(run: string): boolean | Promise<boolean>;
  /** The turns that run, or wait to. */
  list(): readonly TurnNames[] | Promise<readonly TurnNames[]>;
  /** No other begins. Those of this process are stopped, with their work kept. */
  close(): Promise<void>;
}
