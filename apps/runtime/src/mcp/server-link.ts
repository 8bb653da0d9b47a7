import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  Client,
  type CallToolResult,
  type jsonSchemaValidator,
  type JsonSchemaValidatorResult,
  type Transport,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "@basis/core";
import { version } from "../version.ts";

/** Most pages and tools of one server's list. */
const MAX_PAGES = 100;
const MAX_TOOLS = 512;
const LIST_TIMEOUT_MS = 30_000;
/** The host's own deadlines come first; this one only keeps an answer from being waited for without end. */
const LONGEST_CALL_MS = 24 * 3_600_000;

/** A tool as a server describes it; nothing in it is to be believed. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
}

/** How a call is to be made. */
export interface LinkCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Aborting tells the server that nobody waits any more. */
  readonly signal: AbortSignal;
  progress(text: string): void;
}

/** A server that has answered. */
export interface ServerLink {
  listTools(signal: AbortSignal): Promise<readonly OfferedTool[]>;
  /** @throws what the server answered as an error (`ProtocolError`), or what kept it from answering. */
  callTool(call: LinkCall): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Hears a link. */
export interface LinkListener {
  /** It is over; calls under way fail. */
  closed(): void;
  toolsChanged(): void;
}

/** What to link to. */
export interface LinkRequest {
  readonly transport: Transport;
  /** The workspace, told to a server that asks for its roots; absent: such questions are refused. */
  readonly root?: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Greets a server; whoever made the transport closes it if that fails. What it asks of the host beside its roots (sampling, elicitation) is refused by the protocol. */
export async function openLink(request: LinkRequest, listener: LinkListener): Promise<ServerLink> {
  const { transport, root, timeoutMs, signal } = request;
  const client = new Client(
    { name: "basis", version },
    {
      capabilities: root === undefined ? {} : { roots: {} },
      // Schemas come from the server: only the host's own engine, which is bounded, judges by them.
      jsonSchemaValidator: acceptsAll,
    },
  );
  if (root !== undefined) {
    const roots = [{ uri: pathToFileURL(root).href, name: basename(root) }];
    client.setRequestHandler("roots/list", () => ({ roots }));
  }
  client.setNotificationHandler("notifications/tools/list_changed", () => listener.toolsChanged());
  Object.assign(client, { onclose: () => listener.closed(), onerror: () => undefined });
  await client.connect(transport, { timeout: timeoutMs, signal });
  return {
    listTools: (listSignal) => listTools(client, listSignal),
    callTool: (call) => callTool(client, call),
    close: () => client.close(),
  };
}

const acceptsAll: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (input): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined }),
};

/** Every page of the list. */
async function listTools(client: Client, signal: AbortSignal): Promise<readonly OfferedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: OfferedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request(
      { method: "tools/list", params },
      { timeout: LIST_TIMEOUT_MS, signal },
    );
    tools.push(...answer.tools);
    if (tools.length > MAX_TOOLS) throw new Error(`it lists more than ${MAX_TOOLS} tools`);
    cursor = answer.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
}

async function callTool(
  client: Client,
  { name, input, signal, progress }: LinkCall,
): Promise<CallToolResult> {
  return client.request(
    { method: "tools/call", params: { name, arguments: input } },
    {
      signal,
      timeout: LONGEST_CALL_MS,
      onprogress: ({ progress: done, total, message }) => {
        const share = total === undefined ? String(done) : `${done} of ${total}`;
        progress(message === undefined ? share : `${share}: ${message}`);
      },
    },
  );
}
