import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import type { Environment } from "../config/data-dir.ts";
import { StartError } from "../config/start-error.ts";
import type { TurnWorkspaces } from "../host/live-workspace.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import type { ServerTools } from "../mcp/server-tools.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { joinServers, openClientServers, type ClientServerTrust } from "./client-servers.ts";

/** Opens a folder with its guards. @throws StartError */
export type OpenWorkspace = (directory: string, signal: AbortSignal) => Promise<TurnWorkspaces>;

/** What opening a session's folder needs. */
export interface PlaceOpening {
  readonly openWorkspace: OpenWorkspace;
  readonly env: Environment;
  readonly trust: ClientServerTrust;
  readonly signal: AbortSignal;
}

/** What an editor says of a session's folder. */
export interface AskedPlace {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[] | null | undefined;
  readonly additionalDirectories?: readonly string[] | null | undefined;
}

/** The real path of the folder that an editor names. @throws RpcError `invalid_params` */
export function realFolder({ cwd, additionalDirectories }: AskedPlace): string {
  if (!isAbsolute(cwd)) throw invalid("cwd must be an absolute path", "cwd");
  if ((additionalDirectories ?? []).length > 0)
    throw invalid("a session has one folder: leave additionalDirectories out", "additionalDirectories");
  try {
    const root = realpathSync(cwd);
    if (statSync(root).isDirectory()) return root;
  } catch {
    throw invalid("cwd names no folder that can be read", "cwd");
  }
  throw invalid("cwd is no folder", "cwd");
}

/**
 * Opens a session's folder, and the servers that the editor hands over beside it.
 *
 * @throws RpcError `invalid_params`, `forbidden`; of kind `trust` for a folder that asks for what nobody has trusted.
 */
export async function openPlace(asked: AskedPlace, opening: PlaceOpening): Promise<TurnWorkspaces> {
  const { env, trust, signal, openWorkspace } = opening;
  const root = realFolder(asked);
  const workspace = await openWorkspace(root, signal).catch((error: unknown) => {
    throw untrusted(error, root) ?? error;
  });
  const given = asked.mcpServers ?? [];
  if (given.length === 0) return workspace;
  try {
    const { facts } = await workspace.current();
    const taken = new Set(facts.servers.status().map(({ server }) => server));
    return withServers(
      workspace,
      await openClientServers(given, { root: facts.root, env, taken, trust, signal }),
    );
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

/** A workspace with servers of its own for whoever opened it; those of its files stand before them. */
function withServers(workspace: TurnWorkspaces, own: ServerTools): TurnWorkspaces {
  const joined = <T extends { readonly facts: WorkspaceFacts }>(of: T): T => ({
    ...of,
    facts: { ...of.facts, servers: joinServers(own, of.facts.servers) },
  });
  return {
    root: workspace.root,
    current: async () => joined(await workspace.current()),
    hold: async () => joined(await workspace.hold()),
    close: async () => void (await Promise.all([own.close(), workspace.close()])),
  };
}

/** In the words of somebody who sits at an editor and starts no command line. */
function untrusted(error: unknown, root: string): RpcError | undefined {
  if (!(error instanceof StartError) || error.code !== "trust") return undefined;
  const problems = error.details.problems.filter((problem) => !problem.includes("--trust-"));
  const remedy = `read it and what it names, then run 'basis trust' in ${root} and open the session again`;
  return new RpcError("forbidden", [...problems, remedy].join("\n"), { kind: "trust", workspace: root });
}

function invalid(message: string, path: string): RpcError {
  return new RpcError("invalid_params", message, { path });
}
