import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { endedBy } from "../rpc/ended-by.ts";
import { MessageStream } from "../rpc/message-stream.ts";
import type { StdioServing } from "../rpc/serve-stdio.ts";
import { ServerTurns } from "../rpc/server-turns.ts";
import { hostTools } from "./host-tools.ts";
import { StreamTransport } from "./stream-transport.ts";

/**
 * Serves the host as a server of the Model Context Protocol until the client closes its end or the signal aborts; then as
 * `serveStdio`. Answers who ended it.
 */
export async function serveMcp(serving: StdioServing): Promise<"client" | "signal"> {
  const { host, input, output, signal, report, onClientGone } = serving;
  const turns = host.turns ?? new ServerTurns(host.runtime, host.workspace);
  const stream = new MessageStream<JSONRPCMessage>({ input, output, refusal: (object) => object });
  const connection = serveStdio(() => hostTools({ host: { ...host, turns }, report }), {
    transport: new StreamTransport(stream),
    onerror: (error) => report("message", error),
  });
  const who = await endedBy(stream.gone, signal);
  if (who === "client") onClientGone();
  stream.stop();
  await turns.close();
  await stream.answered();
  await stream.flush();
  await connection.close();
  return who;
}
