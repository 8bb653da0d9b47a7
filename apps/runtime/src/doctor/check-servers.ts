import { join } from "node:path";
import { dataDirectory } from "../config/data-dir.ts";
import { readAskedTools, settleAskedTools, startServers } from "../host/workspace-tools.ts";
import { statusInWords, type ServerStatus } from "../mcp/server-state.ts";
import type { CheckedWorkspace } from "./check-workspace.ts";
import type { Finding, FindingLevel } from "./finding.ts";

/** Starts the workspace's trusted MCP servers as a run would, tells how each stands, and ends them. Untrusted ones are not started. */
export async function checkServers({
  directory,
  env,
  signal,
}: CheckedWorkspace): Promise<readonly Finding[]> {
  const place = { workspace: directory, env, signal };
  const trustFile = join(dataDirectory(env), "trust.json");
  let status: readonly ServerStatus[];
  try {
    const asked = await readAskedTools(place);
    const granted = await settleAskedTools(asked, place, { workspace: directory, trust: "skip", trustFile });
    const servers = await startServers(granted, place, { start: true, verify: true });
    status = servers.status();
    await servers.close();
  } catch (error) {
    signal.throwIfAborted();
    const text = (error as Error).message;
    return [{ section: "online", name: "servers", level: "problem", text, fix: "correct what is named" }];
  }
  return status.map((each) => findingOf(each));
}

function findingOf(status: ServerStatus): Finding {
  const { server, state, tools, reason } = status;
  const level: FindingLevel =
    state === "ready" ? "ok" : state === "late" || state === "untrusted" ? "warning" : "problem";
  const fixes: Partial<Record<ServerStatus["state"], string>> = {
    untrusted: "it was not started; read .mcp.json, then: basis trust",
    late: "it had not answered when a run would have begun; its tools join when it has",
  };
  return {
    section: "online",
    name: `server ${server}`,
    level,
    text: statusInWords(status),
    ...(level !== "ok" && { fix: fixes[state] ?? "look at its command or address in .mcp.json" }),
    facts: { state, tools, reason: reason ?? null },
  };
}
