import type { Readable, Writable } from "node:stream";
import { methods, type AnyMessage } from "@agentclientprotocol/sdk";
import type { Runtime } from "../compose.ts";
import { endedBy } from "../rpc/ended-by.ts";
import { MessageStream } from "../rpc/message-stream.ts";
import { acpAgent } from "./acp-agent.ts";
import { refusalOf } from "./acp-error.ts";
import type { EditorApprover } from "./editor-approver.ts";
import { EditorSessions, type EditorSessionsOptions } from "./editor-sessions.ts";

/** What serving an editor needs. */
export interface AcpServing extends Omit<EditorSessionsOptions, "sink"> {
  readonly runtime: Runtime;
  /** Whom the runtime asks; it is connected here. Absent where nobody is asked. */
  readonly approver?: EditorApprover | undefined;
  readonly unstable: boolean;
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the server in order. */
  readonly signal: AbortSignal;
  /** Told once when the editor has closed its end; the host may bound what follows. */
  readonly onClientGone: () => void;
  /** Told of failures that nobody foresaw. */
  readonly report: (method: string, error: unknown) => void;
}

/**
 * Serves one editor until it closes its end or the signal aborts. Then no message is taken any more; turns are stopped
 * with their work kept, and every request that has come is answered. Answers who ended it.
 */
export async function serveAcp(serving: AcpServing): Promise<"client" | "signal"> {
  const { runtime, approver, input, output, signal, onClientGone } = serving;
  const stream = new MessageStream<AnyMessage>({ input, output, refusal: refusalOf });
  const editor = { takesNotices: false };
  const sessions = new EditorSessions({
    ...serving,
    sink: {
      get hasRoom() {
        return stream.hasRoom;
      },
      get takesNotices() {
        return editor.takesNotices;
      },
      send: (sessionId, update) => client.notify(methods.client.session.update, { sessionId, update }),
    },
  });
  const app = acpAgent({
    ...serving,
    sessions,
    clientServers: serving.trust.allowed,
    met: (met) => Object.assign(editor, met),
  });
  const connection = app.connect(stream);
  const { client } = connection;
  approver?.connect({
    store: runtime.state.store,
    turnOf: (sessionId) => sessions.turnOf(sessionId),
    catchUp: () => runtime.state.events.flush(),
    ask: (request, aborting) =>
      client.request(methods.client.session.requestPermission, request, {
        cancellationSignal: aborting,
        stopWaitingOnCancel: true,
      }),
  });
  const who = await endedBy(stream.gone, signal);
  if (who === "client") onClientGone();
  stream.stop();
  await sessions.end();
  await stream.answered();
  await stream.flush();
  connection.close();
  await sessions.closeAll();
  return who;
}
