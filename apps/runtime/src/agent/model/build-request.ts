import { canonicalJson, sha256, type JsonObject } from "@basis/core";
import { isSessionError } from "@mobkit/session";
import type { Tool } from "../../tools/tool.ts";
import type { Model, ToolDefinition } from "../../providers/model.ts";
import { caught, type Later } from "../../events/event-log.ts";
import type { HostStore } from "../../store/host-store.ts";
import { insist } from "../transcript/insist.ts";
import type { AgentSetup, RunContext } from "../run/run-context.ts";

/** Tools as the model is shown them, in name order, so that the same roster gives the same bytes. */
function toolDefinitions(tools: Iterable<Tool>): readonly ToolDefinition[] {
  const definitions = [...tools].map(({ name, description, inputSchema }) =>
    Object.freeze<ToolDefinition>({ name, description, inputSchema }),
  );
  return Object.freeze(definitions.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
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

/** The text of a request head, its digest, and what both were made from. */
interface HeadText {
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly definitions: readonly ToolDefinition[];
  readonly text: string;
  readonly digest: string;
  /** Stores that were given the text. */
  readonly keptBy: WeakSet<HostStore>;
}

/** The last head of each model: the turns of one agent repeat theirs. */
const lastHeads = new WeakMap<Model, HeadText>();

function headText(agent: AgentSetup): HeadText {
  const { model, system } = agent;
  const tools = [...agent.tools.values()];
  const last = lastHeads.get(model);
  if (last !== undefined && last.system === system && areDefinedAlike(last.tools, tools)) return last;
  const text = canonicalJson(requestHead(agent));
  const digest = `sha256:${sha256(text)}`;
  const definitions = toolDefinitions(tools);
  const head: HeadText = { system, tools, definitions, text, digest, keptBy: new WeakSet() };
  lastHeads.set(model, head);
  return head;
}

/** An agent's tools as its model is shown them: the same list for every turn of an agent that has the same. */
export function definitionsFor(agent: AgentSetup): readonly ToolDefinition[] {
  return headText(agent).definitions;
}

function areDefinedAlike(some: readonly Tool[], others: readonly Tool[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, description, inputSchema }, index) => {
      const other = others[index]!;
      return other.inputSchema === inputSchema && other.name === name && other.description === description;
    })
  );
}

/** What a write has to change so that the session names its agent's request head; nothing when it does already. */
export type HeadChange = { readonly requestHead?: string | undefined };

/**
 * Does the write that opens a turn. The head's text goes to the store once; should the store have let go of it since,
 * it is given again and the write repeated.
 */
export function writeWithHead<T>(
  { agent, writer }: RunContext,
  store: HostStore,
  write: (change: HeadChange) => Later<T>,
): Later<T> {
  const { text, digest, keptBy } = headText(agent);
  if (writer.head.requestHead === digest) return write({});
  const keep = async (): Promise<void> => {
    await insist(() => store.blobs.put(text));
    keptBy.add(store);
  };
  const giveAgain = async (error: unknown): Promise<T> => {
    if (!isSessionError(error, "blob_missing")) throw error;
    await keep();
    return write({ requestHead: digest });
  };
  const name = (): Later<T> => caught(() => write({ requestHead: digest }), giveAgain);
  return keptBy.has(store) ? name() : keep().then(name);
}
