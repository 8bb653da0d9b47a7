import {
  agent,
  methods,
  PROTOCOL_VERSION,
  type AgentApp,
  type InitializeResponse,
} from "@agentclientprotocol/sdk";
import type { Runtime } from "../compose.ts";
import { version } from "../version.ts";
import { requestError } from "./acp-error.ts";
import { FORK_METHOD, forkForEditor, forkParams } from "./editor-forks.ts";
import type { EditorSessions } from "./editor-sessions.ts";

/** What the agent's side is made of. */
export interface AcpAgentOptions {
  readonly runtime: Runtime;
  readonly sessions: EditorSessions;
  /** Offers what is no part of the protocol's stable version. */
  readonly unstable: boolean;
  /** Whether servers that an editor hands over are started. */
  readonly clientServers: boolean;
  /** Told once of what the editor can do. */
  readonly met: (editor: { readonly takesNotices: boolean }) => void;
  /** Told of failures that nobody foresaw. */
  readonly report: (method: string, error: unknown) => void;
}

/** The agent's side of the protocol: each method, and what its failures say. */
export function acpAgent(options: AcpAgentOptions): AgentApp {
  const { sessions, runtime, report, unstable } = options;
  const { session } = methods.agent;
  const guarded = async <T>(method: string, work: () => Promise<T>, sessionId?: string): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw requestError(error, sessionId === undefined ? {} : { sessionId }, (cause) =>
        report(method, cause),
      );
    }
  };
  const app = agent({ name: "basis" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      options.met({ takesNotices: params.clientCapabilities?.session?.notices != null });
      return introduction(options);
    })
    .onRequest(session.new, ({ params }) => guarded(session.new, () => sessions.create(params)))
    .onRequest(session.load, ({ params }) =>
      guarded(session.load, () => sessions.load(params), params.sessionId),
    )
    .onRequest(session.resume, ({ params }) =>
      guarded(session.resume, async () => (await sessions.resume(params), {}), params.sessionId),
    )
    .onRequest(session.list, ({ params }) => guarded(session.list, () => sessions.list(params)))
    .onRequest(session.close, ({ params }) =>
      guarded(session.close, () => sessions.close(params), params.sessionId),
    )
    .onRequest(session.prompt, ({ params, signal }) =>
      guarded(session.prompt, () => sessions.prompt(params, signal), params.sessionId),
    )
    .onNotification(session.cancel, ({ params }) => sessions.cancel(params.sessionId));
  if (!unstable) return app;
  return app.onRequest(FORK_METHOD, forkParams, ({ params, signal }) =>
    guarded(FORK_METHOD, () => forkForEditor(runtime, sessions, { params, signal }), params.sessionId),
  );
}

/** What this side is and can do, and nothing else. */
function introduction({ unstable, clientServers }: AcpAgentOptions): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "basis", title: "Basis", version },
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: clientServers, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, ...(unstable && { fork: {} }) },
    },
  };
}
