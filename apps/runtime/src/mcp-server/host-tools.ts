import { McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import { newId } from "@basis/core";
import { z } from "zod";
import { errorObject } from "../rpc/error-object.ts";
import { limit, word } from "../rpc/methods/parameters.ts";
import { startTurn, turnParams, type TurnHost } from "../rpc/methods/run-methods.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { ServerHost } from "../rpc/server-host.ts";
import type { TurnEnd } from "../rpc/turn-end.ts";
import { wireForkResult } from "../rpc/wire-fork.ts";
import { findSession } from "../store/find-session.ts";
import { viewSession } from "../store/session-view.ts";
import { version } from "../version.ts";

/** What the tools work on. */
export interface HostToolsOptions {
  readonly host: TurnHost;
  /** Told of failures that nobody foresaw. */
  readonly report: (tool: string, error: unknown) => void;
}

const forkParams = z.strictObject({
  session: word.describe("The session to fork, by its id or its member's name."),
  name: word.optional().describe("The name of the fork's member. Default: one that is free."),
  at: z
    .int()
    .or(z.literal("settled"))
    .optional()
    .describe(
      "How many messages the fork takes over, or those up to the last turn that is over. Default: all.",
    ),
});

/** The agent of a folder as a server of tools: `run`, `fork` and `sessions`. Nothing that grants is a tool. */
export function hostTools({ host, report }: HostToolsOptions): McpServer {
  const { runtime } = host;
  const server = new McpServer({ name: "basis", title: "Basis", version }, { capabilities: { tools: {} } });
  const guarded = async (tool: string, work: () => Promise<CallToolResult>): Promise<CallToolResult> => {
    try {
      return await work();
    } catch (error) {
      return refused(error, () => report(tool, error));
    }
  };
  server.registerTool(
    "run",
    {
      description:
        "Runs one turn of this folder's agent and answers what it said. With a session it goes on there; without a prompt it goes on where that session waits. Calls that wait for an approval end the turn as parked, with the approval's id; a person answers it.",
      inputSchema: turnParams,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    (given, { mcpReq: { signal } }) => guarded("run", () => runTurn(host, given, signal)),
  );
  server.registerTool(
    "fork",
    {
      description:
        "Makes a second session out of one, from its beginning to its end or to a message that splits no call.",
      inputSchema: forkParams,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    (given, { mcpReq: { signal } }) => guarded("fork", () => forkSession(runtime, given, signal)),
  );
  server.registerTool(
    "sessions",
    {
      description: "Lists the sessions of this host, oldest first; next is the following page's after.",
      inputSchema: z.strictObject({
        after: word.optional().describe("The next of the page before."),
        limit: limit.describe("Most sessions of a page."),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (given, { mcpReq: { signal } }) => guarded("sessions", () => listSessions(runtime, given, signal)),
  );
  return server;
}

/** A turn whose caller takes the call back is stopped, its work kept. */
async function runTurn(
  host: HostToolsOptions["host"],
  given: z.output<typeof turnParams>,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { turns } = host;
  const { run } = await startTurn(host, given);
  const stop = (): void => void Promise.resolve(turns.stop(run)).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return resultOf(await turns.wait(run, new AbortController().signal));
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function resultOf(end: TurnEnd): CallToolResult {
  const waits = end.status === "parked" ? `waits for approval ${end.approval_id}; a person answers it` : "";
  const said = end.output === undefined ? end.text : JSON.stringify(end.output);
  const text = [said, end.error ?? waits].filter((part) => part !== "").join("\n");
  return {
    content: [{ type: "text", text }],
    structuredContent: { ...end },
    isError: end.status === "failed",
  };
}

async function forkSession(
  runtime: ServerHost["runtime"],
  { session, name, at }: z.output<typeof forkParams>,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { store } = runtime.state;
  const { binding } = await findSession(store, session);
  const source = binding === null ? undefined : await store.members.get(binding.member);
  if (source === undefined)
    throw new RpcError("unavailable", "no member sits on this session", { kind: "session_unavailable" });
  const spec = { identity: name ?? `${source.member}-${newId().slice(-8)}`, role: source.role };
  const fork = await runtime.fork(source.member, spec, { ...(at !== undefined && { at }), signal });
  return told(wireForkResult(fork));
}

async function listSessions(
  runtime: ServerHost["runtime"],
  { after, limit: most }: { readonly after?: string | undefined; readonly limit: number },
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { store } = runtime.state;
  const page = await store.listSessions({ after, limit: most, signal });
  const sessions = await Promise.all(page.items.map((record) => viewSession(store, record)));
  return told({ sessions, next: page.next });
}

function told(facts: object): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(facts) }], structuredContent: { ...facts } };
}

function refused(error: unknown, report: () => void): CallToolResult {
  const object = errorObject(error);
  if (object === undefined) report();
  const { message, data } = object ?? {
    message: "the host failed; its standard error tells how",
    data: { kind: "internal" },
  };
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { error: { ...data } },
    isError: true,
  };
}
