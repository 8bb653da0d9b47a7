import type { Environment } from "../config/data-dir.ts";
import type { Runtime } from "../compose.ts";
import type { TurnWorkspaces } from "../host/live-workspace.ts";
import type { Turns } from "./turns.ts";

/** Everything that the methods of a server work on. */
export interface ServerHost {
  readonly runtime: Runtime;
  readonly workspace: TurnWorkspaces;
  readonly turns: Turns;
  readonly env: Environment;
  readonly dataDir: string;
}

/** A server's host as it is opened; without turns it runs them itself. */
export type OpenedHost = Omit<ServerHost, "turns"> & { readonly turns?: Turns | undefined };
