import { canonicalJson, sha256, type JsonObject } from "@basis/core";
import type { Tool } from "../tools/tool.ts";
import type { ToolDefinition } from "../providers/model.ts";
import type { HostStore } from "../store/host-store.ts";
import { insist } from "./insist.ts";
import type { AgentSetup, RunContext } from "./run-context.ts";

/** Tools as the model is shown them, in name order, so that the same roster gives the same bytes. */
export function toolDefinitions(tools: Iterable<Tool>): readonly ToolDefinition[] {
  return [...tools]
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * What stands before the messages in every request of an agent, but for a typed turn's own tool and choice. Nothing
 * in it belongs to one session, so that a fork with the same agent sends the same bytes.
 */
export function requestHead({ model, system, tools }: AgentSetup): JsonObject {
  const { provider, id } = model.ref;
  return {
    model: { provider, id },
    system,
    tools: toolDefinitions(tools.values()).map((tool) => ({ ...tool })),
  };
}

/** What a write has to change so that the session names its agent's request head; nothing when it does already. */
export async function requestHeadChange(
  { agent, writer }: RunContext,
  store: HostStore,
): Promise<{ readonly requestHead?: string }> {
  const text = canonicalJson(requestHead(agent));
  if (writer.head.requestHead === `sha256:${sha256(text)}`) return {};
  const { digest } = await insist(() => store.blobs.put(text));
  return { requestHead: digest };
}
