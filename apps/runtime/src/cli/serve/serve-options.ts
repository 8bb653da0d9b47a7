import { refuseAgents } from "../../approvals/lineage.ts";
import { isPlayed } from "../../providers/played-model.ts";
import type { Arguments, CommandContext } from "../arguments/command.ts";
import { compactAtOption } from "../arguments/compact-at-option.ts";
import { UsageError } from "../terminal/exit-code.ts";
import { allowHostOption, httpOption, serverTokenOption } from "../arguments/http-option.ts";
import { modelOption } from "../arguments/model-option.ts";
import { choice, flag, text } from "../arguments/option.ts";

/** The options of `basis serve`. */
export const serveOptions = {
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
  queue: flag("with --stdio, --http or --mcp: let workers run the turns (basis worker)"),
  realm: text("NAME", "with --queue: whose turns they are, for fair queueing; default 'default'"),
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

/** What `basis serve` was told. */
export type ServeGiven = Arguments<typeof serveOptions>["options"];

/** An agent's program cannot serve what it was not granted, and a transport is named. */
export function refuseServing(given: ServeGiven, env: CommandContext["env"]): void {
  const problems = usageProblems(given);
  if (problems.length > 0) throw new UsageError([...problems, "see: basis serve --help"]);
  const granting = grantingOptions(given);
  if (granting.length > 0) refuseAgents(env, granting.join(", "));
}

function usageProblems(given: ServeGiven): readonly string[] {
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
    ...queueProblems(given),
    ...httpProblems(given),
  ];
}

/** Who asks at an editor takes what is answered there: that grants, too. */
function grantingOptions(given: ServeGiven): readonly string[] {
  const flags = (["trust-workspace", "allow-run", "client-servers"] as const).filter((name) => given[name]);
  const approve = given.approve ?? (given.acp ? "ask" : "park");
  const answers = approve === "always" || approve === "ask";
  return [...flags.map((name) => `--${name}`), ...(answers ? [`--approve ${approve}`] : [])];
}

function editorProblems(given: ServeGiven): readonly string[] {
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

function httpProblems(given: ServeGiven): readonly string[] {
  if (given.http !== undefined) return [];
  const own = (["open", "allow-host", "server-token-file"] as const).filter((name) => given[name]);
  return own.map((name) => `--${name} goes with --http`);
}

/** What a server that only queues cannot be told. */
function queueProblems(given: ServeGiven): readonly string[] {
  if (!given.queue) return given.realm === undefined ? [] : ["--realm goes with --queue"];
  const own = (["ephemeral", "approve", "compact-at"] as const).filter((name) => given[name] !== undefined);
  return [
    ...(given.acp ? ["--queue does not go with --acp: an editor answers for calls where its turns run"] : []),
    ...own.map((name) => `--${name} does not go with --queue: ${withQueue[name]}`),
    ...(isPlayed(given.model)
      ? [`--model ${given.model} does not go with --queue: start the worker with it`]
      : []),
  ];
}

const withQueue = {
  ephemeral: "a worker finds a turn in the store, so it is kept",
  approve: "the worker answers as it was started, by 'basis worker --approve park|never|always'",
  "compact-at": "the worker compacts as it was started",
} as const;
