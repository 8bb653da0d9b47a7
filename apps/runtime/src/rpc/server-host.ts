import type { Environment } from "../config/data-dir.ts";
import type { Runtime } from "../compose.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import type { ServerTurns } from "./server-turns.ts";

/** Everything that the methods of a server work on. */
export interface ServerHost {
  readonly runtime: Runtime;
  readonly workspace: WorkspaceFacts;
  readonly turns: ServerTurns;
  readonly env: Environment;
  readonly dataDir: string;
}
