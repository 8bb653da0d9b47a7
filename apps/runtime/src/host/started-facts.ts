import type { Turn } from "../agent/turn/run-turn.ts";
import { version } from "../version.ts";
import type { WorkspaceFacts } from "./workspace.ts";

/** What the start of a run tells of its host. */
export function startedFacts({ root, contextFiles, servers, agents }: WorkspaceFacts): Turn["started"] {
  return {
    version,
    workspace: root,
    context_files: contextFiles.map(({ path, digest }) => ({ path, digest })),
    agents: agents.map(({ name }) => name),
    mcp_servers: servers.status().flatMap(({ server, state }) => (state === "untrusted" ? [] : [server])),
  };
}
