import { allowAll, denyAll, visibleText } from "@basis/approval";
import { refuseAgents } from "../approvals/lineage.ts";
import { dataDirectory } from "../config/data-dir.ts";
import { canonicalHost, isLoopback } from "../http/server-address.ts";
import type { ServerHost } from "../rpc/server-host.ts";
import { parkAll } from "./approve-option.ts";
import { compactAtOption } from "./compact-at-option.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "./command.ts";
import { exitCode, UsageError, type ExitCode } from "./exit-code.ts";
import {
  allowHostOption,
  httpOption,
  serverToken,
  serverTokenOption,
  type ServerToken,
} from "./http-option.ts";
import { modelOption } from "./model-option.ts";
import { openHost } from "./open-host.ts";
import { choice, flag } from "./option.ts";
import { answer, complain, progress, warn } from "./output-format.ts";
import type { EditorServing } from "./serve-editor.ts";

const options = {
  stdio: flag("JSON-RPC 2.0 on standard input and output, one message a line"),
  rpc: flag("the same as --stdio"),
  acp: flag("the Agent Client Protocol on standard input and output, for editors; EDITORS.md tells more"),
  "acp-unstable": flag("with --acp: session/fork too, which is no part of its stable version"),
  "client-servers": flag("with --acp: start MCP servers that the editor hands over"),
  mcp: flag(
    "the Model Context Protocol on standard input and output: this folder's agent as a server of tools",
  ),
  http: httpOption,
  open: flag("with --http: open its page in a browser"),
  "allow-host": allowHostOption,
  "server-token-file": serverTokenOption,
  model: modelOption,
  approve: choice(
    ["ask", "park", "never", "always"],
    "who answers for calls that change something: approvals/answer later (default), with --acp the person at the editor (ask, its default), nobody, everybody yes. Refusals by rules and hooks stand under every mode",
  ),
  "compact-at": compactAtOption,
  "allow-run": flag("offer the tool run and the commands of spawn, which start programs"),
  "trust-workspace": flag(
    "let this folder's hooks, MCP servers and declared tools run, and remember it for these entries and scripts",
  ),
  "trust-unpinned": flag(
    "with --trust-workspace or --client-servers: those too whose code is in no file, as of npx or sh -c",
  ),
  ephemeral: flag("keep nothing: sessions and events stay in memory"),
};

/** `basis serve`. */
export const serveCommand: Command = defineCommand({
  name: "serve",
  about: "Serve the agent to an editor, a script or a browser.",
  more: [
    "With --stdio the client writes one JSON-RPC 2.0 message a line and reads one a line; logs go to standard error. SERVER.md of the package names the methods, the codes of refusals, and how events are followed and resumed. server/info lists the methods.",
    "With --http the same methods answer at POST /rpc, and GET /events streams. The address is printed with a token that is new at each start; every call sends it as a Bearer token. Only this machine reaches 127.0.0.1; another address needs a token that you set.",
    "With --acp an editor names the folders itself: what one of them would run has to be trusted by 'basis trust' there, and the editor's answers allow one call each. EDITORS.md tells more.",
    "The server ends when the client closes its end, or at Ctrl-C: turns are stopped with their work kept, and what was asked is answered first. By JSON-RPC an approval is answered only with the file of the token that 'basis approvals token' made.",
  ],
  options,
  examples: [
    ["basis serve --stdio", "what a script starts"],
    ["basis serve --acp", "what an editor of the Agent Client Protocol starts"],
    ["basis serve --stdio --model scripted:replies.json", "a model whose replies are a file; no key needed"],
    [
      "basis serve --mcp",
      "what a client of the Model Context Protocol starts, to use this folder's agent as a tool",
    ],
    ["basis serve --http 127.0.0.1:0 --open", "on a free port of this machine, in a browser"],
  ],
  run,
});

type ServeArguments = Arguments<typeof options>;

/** How often a server that runs on looks after the store. */
const TEND_MS = 10 * 60_000;

const approvers = { ask: parkAll, park: parkAll, never: denyAll, always: allowAll };

async function run({ options: given }: ServeArguments, context: CommandContext): Promise<ExitCode> {
  const { env, interrupt } = context;
  refuse(given, env);
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
    signal: interrupt.signal,
  });
  const tend = (): void => void host.runtime.tend().catch(() => undefined);
  const tending = given.ephemeral ? undefined : setInterval(tend, TEND_MS).unref();
  const ending = new AbortController();
  interrupt.instead(() => ending.abort());
  const serving: Serving = {
    host: { runtime: host.runtime, workspace: host.facts, env, dataDir: dataDirectory(env) },
    signal: ending.signal,
    report: (method, error) => complain(`${method}: ${error instanceof Error ? error.stack : String(error)}`),
  };
  try {
    if (token !== undefined) return await overHttp(serving, given, token);
    return await overStdio(serving, given, context);
  } finally {
    clearInterval(tending);
    await host.close();
    process.stdin.destroy();
  }
}

/** What both transports are given. */
interface Serving {
  readonly host: Omit<ServerHost, "turns">;
  readonly signal: AbortSignal;
  readonly report: (method: string, error: unknown) => void;
}

async function overStdio(
  serving: Serving,
  { mcp }: ServeArguments["options"],
  { interrupt }: CommandContext,
): Promise<ExitCode> {
  const serve = mcp
    ? (await import("../mcp-server/serve-mcp.ts")).serveMcp
    : (await import("../rpc/serve-stdio.ts")).serveStdio;
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
    import("../http/serve-http.ts"),
    import("../http/assets.ts"),
    import("../http/open-browser.ts"),
    import("../page/console-page.ts"),
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

/** An agent's program cannot serve what it was not granted, and a transport is named. */
function refuse(given: ServeArguments["options"], env: CommandContext["env"]): void {
  const problems = usageProblems(given);
  if (problems.length > 0) throw new UsageError([...problems, "see: basis serve --help"]);
  const granting = grantingOptions(given);
  if (granting.length > 0) refuseAgents(env, granting.join(", "));
}

function usageProblems(given: ServeArguments["options"]): readonly string[] {
  const named = [given.stdio || given.rpc, given.acp, given.mcp, given.http].filter(
    (each) => each !== undefined,
  );
  const isTrusting = given["trust-workspace"] || given["client-servers"];
  return [
    ...(named.length === 1
      ? []
      : ["say how, by one of: basis serve --stdio, --http 127.0.0.1:0, --acp, --mcp"]),
    ...(given["trust-unpinned"] && !isTrusting
      ? ["--trust-unpinned goes with --trust-workspace or --client-servers"]
      : []),
    ...editorProblems(given),
    ...httpProblems(given),
  ];
}

/** Who asks at an editor takes what is answered there: that grants, too. */
function grantingOptions(given: ServeArguments["options"]): readonly string[] {
  const flags = (["trust-workspace", "allow-run", "client-servers"] as const).filter((name) => given[name]);
  const approve = given.approve ?? (given.acp ? "ask" : "park");
  const answers = approve === "always" || approve === "ask";
  return [...flags.map((name) => `--${name}`), ...(answers ? [`--approve ${approve}`] : [])];
}

function editorProblems(given: ServeArguments["options"]): readonly string[] {
  if (given.acp)
    return given["trust-workspace"]
      ? [
          "--acp opens the folders that the editor names: run 'basis trust' in each instead of --trust-workspace",
        ]
      : [];
  const own = (["acp-unstable", "client-servers"] as const).filter((name) => given[name]);
  const asks = given.approve === "ask" ? ["--approve ask"] : [];
  return [...own.map((name) => `--${name}`), ...asks].map((option) => `${option} goes with --acp`);
}

function httpProblems(given: ServeArguments["options"]): readonly string[] {
  if (given.http !== undefined) return [];
  const own = (["open", "allow-host", "server-token-file"] as const).filter((name) => given[name]);
  return own.map((name) => `--${name} goes with --http`);
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
