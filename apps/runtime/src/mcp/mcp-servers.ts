import { systemClock, type Clock, type JsonObject } from "@basis/core";
import { StartError } from "../config/start-error.ts";
import type { Environment } from "../config/data-dir.ts";
import { grantProblem } from "../config/workspace-grants.ts";
import { inputCheck, type InputCheck } from "../tools/input-check.ts";
import type { Tool } from "../tools/tool.ts";
import { McpServer } from "./mcp-server.ts";
import { LaunchError, launchServer, type Launch, type LaunchPlace } from "./server-launch.ts";
import { startProgram, type StartProgram } from "./server-program.ts";
import type { AskedServer } from "./server-request.ts";
import type { ServerStatus } from "./server-state.ts";
import { ServerPool } from "./server-pool.ts";
import type { ServerTools } from "./server-tools.ts";

/** How servers are opened. */
export interface OpenServersOptions {
  /** The file that names them, for errors. */
  readonly path: string;
  readonly root: string;
  readonly env: Environment;
  /** False when they were never pinned: `trust: "run"`. */
  readonly verify: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly startProgram?: StartProgram | undefined;
  /** Those that run already and are asked for again run on. */
  readonly pool?: ServerPool | undefined;
}

/**
 * Starts the servers side by side and waits for each as long as it may take. One that is late joins when it is ready;
 * one that fails is told as failed. Two tools with one name refuse the open.
 *
 * @throws StartError `workspace`
 */
export async function openServers(
  asked: readonly AskedServer[],
  options: OpenServersOptions,
): Promise<ServerTools> {
  const { path, signal } = options;
  const { pool = new ServerPool() } = options;
  const taken = asked.map((each) => pool.take(each, (one, announce) => serverOf(one, { options, announce })));
  const servers = taken.map(({ server }) => server);
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await Promise.all(taken.map((each) => pool.release(each)));
  };
  await Promise.all(taken.filter(({ isNew }) => isNew).map(({ server }) => server.open()));
  const collisions = servers.flatMap(({ name, collision }) =>
    collision === undefined ? [] : [`${path}: MCP server '${name}': ${collision}; leave one of them out`],
  );
  if (signal?.aborted || collisions.length > 0) {
    await close();
    signal?.throwIfAborted();
    throw new StartError("workspace", collisions);
  }
  return {
    status: () => servers.map((server) => server.status),
    tools: () => new Map(servers.flatMap((server) => [...server.tools])),
    listen(listener) {
      for (const { listeners } of taken) listeners.add(listener);
      return () => taken.forEach(({ listeners }) => void listeners.delete(listener));
    },
    close,
  };
}

interface ServerContext {
  readonly options: OpenServersOptions;
  readonly announce: (status: ServerStatus) => void;
}

function serverOf(asked: AskedServer, { options, announce }: ServerContext): McpServer {
  const { settings, pinned } = asked;
  const { root, env, clock = systemClock } = options;
  const place: LaunchPlace = { root, env, clock, startProgram: options.startProgram ?? startProgram };
  return new McpServer({
    settings,
    configDigest: pinned.grant.digest,
    launch: () => launchVerified(asked, place, options.verify),
    root,
    clock,
    compile: compileSchema,
    announce,
  });
}

/** What is started is what was trusted: it is looked at again each time. */
async function launchVerified(asked: AskedServer, place: LaunchPlace, verify: boolean): Promise<Launch> {
  const problem = verify ? await grantProblem(asked.pinned, asked.place) : undefined;
  if (problem !== undefined) throw new LaunchError(`it is not what was trusted: ${problem}`);
  return launchServer(asked.settings, asked.pinned, place);
}

async function compileSchema(inputSchema: JsonObject): Promise<InputCheck> {
  return inputCheck({ inputSchema } as Tool);
}
