import type { AgentFile } from "@basis/child-policy/agents";
import { StartError } from "../../config/start-error.ts";
import { runPersona, type PersonaRequest } from "../../host/run-persona.ts";
import type { HostStore } from "../../store/host-store.ts";
import { RpcError } from "../rpc-error.ts";

/**
 * The agent of the workspace that a client asks for; undefined for the main one.
 *
 * @throws RpcError `invalid_params`: `unknown_agent` for one that is not there, `other_agent` for one that the session is not.
 */
export async function refuseAgent(
  store: HostStore,
  agents: readonly AgentFile[],
  request: PersonaRequest,
): Promise<AgentFile | undefined> {
  try {
    return await runPersona(store, agents, request);
  } catch (error) {
    if (request.agent === undefined || !(error instanceof StartError)) throw error;
    const message = error.details.problems.join("; ").replace("--agent", "agent");
    throw new RpcError("invalid_params", message, {
      kind: error.code === "session" ? "other_agent" : "unknown_agent",
      issues: [{ path: "agent", message }],
    });
  }
}
