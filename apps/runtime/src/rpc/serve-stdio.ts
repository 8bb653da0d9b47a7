import type { Readable, Writable } from "node:stream";
import type { OpenedHost } from "./server-host.ts";
import { endedBy } from "./ended-by.ts";
import { createDispatcher } from "./dispatcher.ts";
import { everyMethod } from "./methods/every-method.ts";
import { connectStdio } from "./stdio-server.ts";
import { ServerTurns } from "./server-turns.ts";

/** What serving over two streams needs. */
export interface StdioServing {
  readonly host: OpenedHost;
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the server in order. */
  readonly signal: AbortSignal;
  /** Told once when the client has closed its end; the host may bound what follows. */
  readonly onClientGone: () => void;
  /** Told of failures that nobody foresaw. */
  readonly report: (method: string, error: unknown) => void;
}

/**
 * Serves until the client closes its end or the signal aborts. Then no message is taken any more; turns are stopped with
 * their work kept, every call that has come is answered, and forks end as they end. Answers who ended it.
 */
export async function serveStdio(serving: StdioServing): Promise<"client" | "signal"> {
  const { host, input, output, signal, report, onClientGone } = serving;
  const turns = host.turns ?? new ServerTurns(host.runtime, host.workspace);
  const dispatcher = createDispatcher({ methods: everyMethod({ ...host, turns }), report });
  const ending = new AbortController();
  const connection = connectStdio({
    input,
    output,
    dispatcher,
    state: host.runtime.state,
    signal: ending.signal,
  });
  const who = await endedBy(connection.gone, signal);
  if (who === "client") onClientGone();
  if (who === "signal") dispatcher.close();
  connection.stop();
  dispatcher.close();
  await turns.close();
  ending.abort(new Error("the server is ending"));
  await connection.close();
  return who;
}
