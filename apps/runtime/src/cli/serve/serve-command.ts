import { allowAll, denyAll, visibleText } from "@basis/approval";
import { dataDirectory } from "../../config/data-dir.ts";
import { canonicalHost, isLoopback } from "../../http/server-address.ts";
import { noModels } from "../../providers/no-models.ts";
import type { OpenedHost } from "../../rpc/server-host.ts";
import { parkAll } from "../arguments/approve-option.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, type ExitCode } from "../terminal/exit-code.ts";
import { serverToken, type ServerToken } from "../arguments/http-option.ts";
import { openHost, type Host } from "../open-host.ts";
import { answer, complain, progress, warn } from "../terminal/output-format.ts";
import type { EditorServing } from "./serve-editor.ts";
import { refuseServing, serveOptions } from "./serve-options.ts";

/** `basis serve`. */
export const serveCommand: Command = defineCommand({
  name: "serve",
  about: "Serve the agent to an editor, a script or a browser.",
  more: [
    "With --stdio the client writes one JSON-RPC 2.0 message a line and reads one a line; logs go to standard error. SERVER.md of the package names the methods, the codes of refusals, and how events are followed and resumed. server/info lists the methods.",
    "With --http the same methods answer at POST /rpc, and GET /events streams. The address is printed with a token that is new at each start; every call sends it as a Bearer token. Only this machine reaches 127.0.0.1; another address needs a token that you set.",
    "With --acp an editor names the folders itself: what one of them would run has to be trusted by 'basis trust' there, and the editor's answers allow one call each. EDITORS.md tells more.",
    "With --queue it runs no turn itself and needs no model: it queues what is started, workers of this folder run it, and everything else is as before. Turns outlive the server then. WORKERS.md tells more.",
    "The server ends when the client closes its end, or at Ctrl-C: turns are stopped with their work kept, and what was asked is answered first. By JSON-RPC an approval is answered only with the file of the token that 'basis approvals token' made.",
  ],
  options: serveOptions,
  examples: [
    ["basis serve --stdio", "what a script starts"],
    ["basis serve --acp", "what an editor of the Agent Client Protocol starts"],
    ["basis serve --stdio --model scripted:replies.json", "a model whose replies are a file; no key needed"],
    [
      "basis serve --mcp",
      "what a client of the Model Context Protocol starts, to use this folder's agent as a tool",
    ],
    ["basis serve --http 127.0.0.1:0 --open", "on a free port of this machine, in a browser"],
    ["basis serve --http 127.0.0.1:0 --queue", "the turns are run by 'basis worker'"],
  ],
  run,
});

type ServeArguments = Arguments<typeof serveOptions>;

/** How often a server that runs on looks after the store. */
const TEND_MS = 10 * 60_000;

const approvers = { ask: parkAll, park: parkAll, never: denyAll, always: allowAll };

async function run({ options: given }: ServeArguments, context: CommandContext): Promise<ExitCode> {
  const { env, interrupt } = context;
  refuseServing(given, env);
  if (given.acp) return (await import("./serve-editor.ts")).serveEditor(editorServing(given), context);
  const token = given.http && serverToken(given.http, given["server-token-file"], context);
  const host = await openHost({
    ...context,
    model: given.model,
    ephemeral: given.ephemeral ?? false,
    trustWorkspace: given["trust-workspace"] ?? false,
    trustUnpinned: given["trust-unpinned"] ?? false,
    allowRun: given["allow-run"] ?? false,
    approver: approvers[given.approve ?? "park"],
    session: undefined,
    output: undefined,
    compactAt: given["compact-at"],
    ...(given.queue && { models: noModels }),
    signal: interrupt.signal,
  });
  const tend = (): void => void host.runtime.tend().catch(() => undefined);
  const tending = given.ephemeral ? undefined : setInterval(tend, TEND_MS).unref();
  const ending = new AbortController();
  interrupt.instead(() => ending.abort());
  try {
    return await serveHost(host, { given, token, signal: ending.signal }, context);
  } finally {
    clearInterval(tending);
    await host.close();
    process.stdin.destroy();
  }
}

interface HostServing {
  readonly given: ServeArguments["options"];
  readonly token: ServerToken | undefined;
  readonly signal: AbortSignal;
}

async function serveHost(
  host: Host,
  { given, token, signal }: HostServing,
  context: CommandContext,
): Promise<ExitCode> {
  const { env } = context;
  const report: Serving["report"] = (method, error) =>
    complain(`${method}: ${error instanceof Error ? error.stack : String(error)}`);
  const queued =
    given.queue &&
    (await (await import("./serve-queue.ts")).openQueuedTurns(host, given, { env, signal, report }));
  try {
    const opened = { runtime: host.runtime, workspace: host.workspace, env, dataDir: dataDirectory(env) };
    const serving: Serving = { host: { ...opened, turns: queued?.turns }, signal, report };
    if (token !== undefined) return await overHttp(serving, given, token);
    return await overStdio(serving, given, context);
  } finally {
    await queued?.close();
  }
}

/** What both transports are given. */
interface Serving {
  readonly host: OpenedHost;
  readonly signal: AbortSignal;
  readonly report: (method: string, error: unknown) => void;
}

async function overStdio(
  serving: Serving,
  { mcp }: ServeArguments["options"],
  { interrupt }: CommandContext,
): Promise<ExitCode> {
  const serve = mcp
    ? (await import("../../mcp-server/serve-mcp.ts")).serveMcp
    : (await import("../../rpc/serve-stdio.ts")).serveStdio;
  const endedBy = await serve({
    ...serving,
    input: process.stdin,
    output: process.stdout,
    // As after a Ctrl-C, what does not end in time is ended.
    onClientGone: () => interrupt.ask(),
  });
  return endedBy === "client" ? exitCode.ok : exitCode.interrupted;
}

async function overHttp(
  serving: Serving,
  { http: address, "allow-host": allowedHosts, open }: ServeArguments["options"],
  { token, isOwn }: ServerToken,
): Promise<ExitCode> {
  const [{ serveHttp }, { loadAssets }, { openBrowser }, { consoleDirectory }] = await Promise.all([
    import("../../http/serve-http.ts"),
    import("../../http/assets.ts"),
    import("../../http/open-browser.ts"),
    import("../../page/console-page.ts"),
  ]);
  let forget = (): void => undefined;
  await serveHttp({
    ...serving,
    address: address!,
    token,
    allowedHosts,
    assets: loadAssets(consoleDirectory),
    onListening({ host, port }) {
      const url = `http://${canonicalHost(host)}:${port}/`;
      answer(isOwn ? url : `${url}#token=${token}`);
      progress(`serving ${visibleText(serving.host.workspace.root)}; Ctrl-C ends it`);
      if (!isLoopback(host)) warn("what is sent is not encrypted; put a proxy that speaks TLS before it");
      if (open) forget = openBrowser(`${url}#token=${token}`, { env: serving.host.env, fail: warn });
    },
  }).finally(() => forget());
  return exitCode.interrupted;
}

function editorServing(given: ServeArguments["options"]): EditorServing {
  return {
    model: given.model,
    approve: given.approve ?? "ask",
    allowRun: given["allow-run"] ?? false,
    ephemeral: given.ephemeral ?? false,
    unstable: given["acp-unstable"] ?? false,
    clientServers: given["client-servers"] ?? false,
    trustUnpinned: given["trust-unpinned"] ?? false,
    compactAt: given["compact-at"],
  };
}
