import type { McpServer } from "@agentclientprotocol/sdk";
import type { JsonObject } from "@basis/core";
import type { Environment } from "../config/data-dir.ts";
import { StartError } from "../config/start-error.ts";
import { readServerEntry } from "../mcp/mcp-file.ts";
import { pinServer, type AskedServer } from "../mcp/server-request.ts";
import type { ServerTools } from "../mcp/server-tools.ts";
import { RpcError } from "../rpc/rpc-error.ts";

/** What the start of the server says about the servers of editors. */
export interface ClientServerTrust {
  /** Whether they are started at all. */
  readonly allowed: boolean;
  /** Whether also those whose code is in no file. */
  readonly unpinned: boolean;
}

/** Where servers of an editor are started. */
export interface ClientServerPlace {
  /** The workspace's real root. */
  readonly root: string;
  readonly env: Environment;
  /** Names of servers that the workspace has. */
  readonly taken: ReadonlySet<string>;
  readonly trust: ClientServerTrust;
  readonly signal: AbortSignal;
}

/**
 * Starts the servers that an editor hands over: read, pinned, looked at again before each start, given the baseline
 * environment and guarded like those of a workspace's file. Values are taken as they are: nothing of the host's
 * environment is put into them.
 *
 * @throws RpcError `invalid_params` where one is not as it has to be, `forbidden` where the start did not allow it.
 */
export async function openClientServers(
  given: readonly McpServer[],
  place: ClientServerPlace,
): Promise<ServerTools> {
  const { root, env, trust, signal } = place;
  if (!trust.allowed)
    throw new RpcError("forbidden", `MCP servers of an editor are not started: ${ALLOW}`, {
      kind: "client_servers",
    });
  const names = given.map(({ name }) => name);
  const repeated = names.find((name, index) => place.taken.has(name) || names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw invalid(`mcpServers: the name ${JSON.stringify(repeated)} is taken; rename one of them`);
  const asked: AskedServer[] = [];
  for (const [index, server] of given.entries()) {
    const settings = readEntry(server, { at: `mcpServers/${index}`, env });
    asked.push(await pinServer(settings, { workspace: root, env, signal }));
  }
  const loose = asked.filter(({ pinned }) => pinned.grant.unpinned.length > 0);
  if (loose.length > 0 && !trust.unpinned)
    throw new RpcError("forbidden", `${loose.map(inWords).join("; ")}: start with --trust-unpinned as well`, {
      kind: "unpinned_code",
    });
  const { openServers } = await import("../mcp/mcp-servers.ts");
  return openServers(asked, { path: "mcpServers", root, env, verify: true, signal });
}

/** Two sets of servers as one. */
export function joinServers(one: ServerTools, other: ServerTools): ServerTools {
  return {
    status: () => [...one.status(), ...other.status()],
    tools: () => new Map([...one.tools(), ...other.tools()]),
    listen(listener) {
      const silence = [one.listen(listener), other.listen(listener)];
      return () => silence.forEach((stop) => stop());
    },
    async close() {
      await Promise.all([one.close(), other.close()]);
    },
  };
}

const ALLOW = "add --client-servers to the command of the agent in the editor's settings";

function readEntry(server: McpServer, { at, env }: { readonly at: string; readonly env: Environment }) {
  const entry = entryOf(server);
  const values = Object.values((entry["env"] ?? entry["headers"] ?? {}) as Readonly<Record<string, string>>);
  if (values.some((value) => value.includes("${")))
    throw invalid(`${at}: \${NAME} is expanded in .mcp.json alone; send the value`);
  try {
    return readServerEntry({ name: server.name, entry, place: at }, env);
  } catch (error) {
    throw error instanceof StartError ? invalid(error.message) : error;
  }
}

function entryOf(server: McpServer): JsonObject {
  if (!("type" in server)) {
    const { command, args, env } = server;
    return { command, args, env: byName(env) };
  }
  return { type: server.type, url: server.url, headers: byName(server.headers) };
}

function byName(given: readonly { readonly name: string; readonly value: string }[]): JsonObject {
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

function inWords({ settings, pinned }: AskedServer): string {
  return `MCP server '${settings.name}' has code that may change unnoticed (${pinned.grant.unpinned.join("; ")})`;
}

function invalid(message: string): RpcError {
  return new RpcError("invalid_params", message, { kind: "mcp_servers" });
}
