import { sessionToolAccess } from "@mobkit/fork";
import type { HostStore } from "../store/host-store.ts";
import type { Tool } from "../tools/tool.ts";

/** The tools that a session's own policy leaves: a fork may have been given fewer than its source. */
export async function sessionTools(
  store: HostStore,
  sessionId: string,
  tools: ReadonlyMap<string, Tool>,
): Promise<ReadonlyMap<string, Tool>> {
  const policy = await sessionToolAccess(store, sessionId);
  if (policy === undefined) return tools;
  const { allow, deny = [] } = policy;
  return new Map([...tools].filter(([name]) => (allow?.includes(name) ?? true) && !deny.includes(name)));
}
