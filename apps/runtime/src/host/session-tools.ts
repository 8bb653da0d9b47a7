import { readToolAccess, TOOL_ACCESS_KIND } from "@mobkit/fork";
import type { HostStore } from "../store/host-store.ts";
import type { Tool } from "../tools/tool.ts";

/** The tools that a session's own policy leaves: a fork may have been given fewer than its source. */
export async function sessionTools(
  store: HostStore,
  sessionId: string,
  tools: ReadonlyMap<string, Tool>,
): Promise<ReadonlyMap<string, Tool>> {
  const policy = readToolAccess((await store.sideState(sessionId, TOOL_ACCESS_KIND))?.value);
  if (policy === undefined) return tools;
  const { allow, deny = [] } = policy;
  return new Map([...tools].filter(([name]) => (allow?.includes(name) ?? true) && !deny.includes(name)));
}
