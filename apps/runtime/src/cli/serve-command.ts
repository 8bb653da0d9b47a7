import { allowAll, denyAll } from "@basis/approval";
import { refuseAgents } from "../approvals/lineage.ts";
import { dataDirectory } from "../config/data-dir.ts";
import { serveStdio } from "../rpc/serve-stdio.ts";
import { parkAll } from "./approve-option.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "./command.ts";
import { exitCode, UsageError, type ExitCode } from "./exit-code.ts";
import { modelOption } from "./model-option.ts";
import { openHost } from "./open-host.ts";
import { choice, flag } from "./option.ts";
import { complain } from "./output-format.ts";
import type { EditorServing } from "./serve-editor.ts";

const options = {
  stdio: flag("JSON-RPC 2.0 on standard input and output, one message a line"),
  rpc: flag("the same as --stdio"),
  acp: flag("the Agent Client Protocol on standard input and output, for editors; EDITORS.md tells more"),
  "acp-unstable": flag("with --acp: session/fork too, which is no part of its stable version"),
  "client-servers": flag("with --acp: start MCP servers that the editor hands over"),
  model: modelOption,
  approve: choice(
    ["ask", "park", "never", "always"],
    "who answers for calls that change something: approvals/answer later (default), with --acp the person at the editor (ask, its default), nobody, everybody yes. Refusals by rules and hooks stand under every mode",
  ),
  "allow-run": flag("offer the tool run and the commands of spawn, which start programs"),
  "trust-workspace": flag(
    "let this folder's hooks, MCP servers and declared tools run, and remember it for these entries and scripts",
  ),
  "trust-unpinned": flag("with --trust-workspace: those too whose code is in no file, as of npx or sh -c"),
  ephemeral: flag("keep nothing: sessions and events stay in memory"),
};

/** `basis serve`. */
export const serveCommand: Command = defineCommand({
  name: "serve",
  about: "Serve the agent to an editor or a script.",
  more: [
    "With --stdio the client writes one JSON-RPC 2.0 message a line and reads one a line; logs go to standard error. SERVER.md of the package names the methods, the codes of refusals, and how events are followed and resumed. server/info lists the methods.",
    "The server ends when the client closes its end, or at Ctrl-C: turns are stopped with their work kept, and what was asked is answered first. An approval is answered only with the file of the token that 'basis approvals token' made.",
  ],
  options,
  examples: [
    ["basis serve --stdio", "what an editor starts"],
    ["basis serve --acp", "what an editor of the Agent Client Protocol starts"],
    ["basis serve --stdio --model scripted:replies.json", "a model whose replies are a file; no key needed"],
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
    signal: interrupt.signal,
  });
  const tend = (): void => void host.runtime.tend().catch(() => undefined);
  const tending = given.ephemeral ? undefined : setInterval(tend, TEND_MS).unref();
  const ending = new AbortController();
  interrupt.instead(() => ending.abort());
  try {
    const endedBy = await serveStdio({
      host: { runtime: host.runtime, workspace: host.facts, env, dataDir: dataDirectory(env) },
      input: process.stdin,
      output: process.stdout,
      signal: ending.signal,
      // As after a Ctrl-C, what does not end in time is ended.
      onClientGone: () => interrupt.ask(),
      report: (method, error) =>
        complain(`${method}: ${error instanceof Error ? error.stack : String(error)}`),
    });
    return endedBy === "client" ? exitCode.ok : exitCode.interrupted;
  } finally {
    clearInterval(tending);
    await host.close();
    process.stdin.destroy();
  }
}

/** An agent's program cannot serve what it was not granted, and a transport is named. */
function refuse(given: ServeArguments["options"], env: CommandContext["env"]): void {
  const problems = usageProblems(given);
  if (problems.length > 0) throw new UsageError([...problems, "see: basis serve --help"]);
  const granting = grantingOptions(given);
  if (granting.length > 0) refuseAgents(env, granting.join(", "));
}

function usageProblems(given: ServeArguments["options"]): readonly string[] {
  const isNamed = given.stdio || given.rpc || given.acp;
  const isTrusting = given["trust-workspace"] || given["client-servers"];
  return [
    ...(isNamed ? [] : ["say how: basis serve --stdio or --acp"]),
    ...(given["trust-unpinned"] && !isTrusting
      ? ["--trust-unpinned goes with --trust-workspace or --client-servers"]
      : []),
    ...editorProblems(given),
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
    return [
      ...(given.stdio || given.rpc ? ["--acp and --stdio exclude each other"] : []),
      ...(given["trust-workspace"]
        ? [
            "--acp opens the folders that the editor names: run 'basis trust' in each instead of --trust-workspace",
          ]
        : []),
    ];
  const own = (["acp-unstable", "client-servers"] as const).filter((name) => given[name]);
  const asks = given.approve === "ask" ? ["--approve ask"] : [];
  return [...own.map((name) => `--${name}`), ...asks].map((option) => `${option} goes with --acp`);
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
  };
}
