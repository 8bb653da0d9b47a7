// Answers one question of a native hook by a hook of another tool: `node ask.js PLACE`, the request on standard input.
// Runs from the workspace, where `import` puts it beside the hooks that it imported; loads nothing but its neighbours.
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonObject, JsonValue } from "@basis/core";
import { findDialect } from "../bridge/dialects.ts";
import type {
  Decoded,
  DialectCall,
  DialectHook,
  DialectLevel,
  DialectName,
  Ended,
  Said,
} from "../bridge/dialect.ts";
import { viewTool, type ToolAlias, type ToolView } from "../bridge/tool-alias.ts";
import { asObject } from "../bridge/verdict-text.ts";

/** The hooks that were imported. */
export interface ImportedHooks {
  readonly level: DialectLevel;
  readonly tools: Readonly<Record<string, ToolAlias>>;
  readonly hooks: readonly (DialectHook & { readonly dialect: DialectName })[];
}

/** A request as it stands on the wire. */
interface WireRequest extends JsonObject {
  readonly event: string;
  readonly workspace: string;
  readonly agent_id: string;
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly input: JsonValue;
}

const MAX_PRINTED = 8 * 1024 * 1024;
const DRAIN_MS = 50;
/** What a hook of the background gets to read what it is about. */
const START_MS = 1000;

const request = JSON.parse(readFileSync(0, "utf8")) as WireRequest;
const settings = JSON.parse(readFileSync(new URL("../hooks.json", import.meta.url), "utf8")) as ImportedHooks;
const hook = settings.hooks[Number(process.argv[2])];
if (hook === undefined) throw new Error(`there is no imported hook ${process.argv[2]}`);
await answer(hook, settings);

async function answer(hook: ImportedHooks["hooks"][number], { level, tools }: ImportedHooks): Promise<void> {
  const dialect = findDialect(hook.dialect)!;
  const { workspace, tool_name: toolName } = request;
  const source = request["tool_source"];
  const toolSource = typeof source === "string" ? source : undefined;
  const view = viewTool(dialect.tools, tools, {
    toolName,
    toolSource,
    workspace,
  });
  const call = callOf(view, workspace);
  if (!dialect.matches(hook, call)) return print({ decision: "allow" });
  const sessionId = call.agentId;
  const stdin = JSON.stringify(dialect.stdin(hook, call, { sessionId, transcriptPath: "" }));
  const own = { ...dialect.env({ workspace, pluginRoot: undefined, sessionId }), ...hook.env };
  const env = { ...process.env, ...own };
  const started = { child: start(hook, env), stdin: `${stdin}\n` };
  if (hook.isAsync) return inBackground(started);
  const ended = await run(started);
  const decoded = wholeText(ended.stdout, dialect.decode(hook, ended, parseJson));
  if (decoded.kind !== "fell") return say(decoded, { view, call, level });
  const { vendor, hardened, message } = decoded;
  if (level === "faithful" && hook.onFailure !== "deny") return say(vendor, { view, call, level });
  const said = hardened ?? (vendor.kind === "deny" ? vendor : undefined);
  if (said !== undefined) return say(said, { view, call, level });
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** What it comes to when it printed bytes that are no text. */
function wholeText(stdout: string, decoded: Decoded): Decoded {
  if (!stdout.includes("\uFFFD") || decoded.kind === "deny" || decoded.kind === "fell") return decoded;
  const message = "printed something that is not a decision (it is not UTF-8 text)";
  return { kind: "fell", code: "invalid_answer", message, vendor: decoded };
}

function callOf({ name: toolName, names, kind, server, show }: ToolView, cwd: string): DialectCall {
  const isAfter = request.event === "post_tool_use";
  const result = isAfter ? { output: request["output"]!, isError: request["is_error"] === true } : undefined;
  const ids = { toolCallId: request.tool_call_id, agentId: request.agent_id };
  const isChild = Number(request["depth"] ?? 0) > 0;
  const input = show(request.input);
  return { toolName, names, kind, server, input, ...ids, isChild, cwd, now: Date.now(), result };
}

function start({ command, cwd = ".", isAsync }: DialectHook, env: NodeJS.ProcessEnv): ChildProcess {
  const [program = "", ...args] = typeof command === "string" ? ["bash", "-c", command] : command;
  const words = args.map((word) =>
    word.replaceAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (whole, name: string) => env[name] ?? whole),
  );
  const output = isAsync ? "ignore" : "pipe";
  return spawn(program, words, {
    cwd: resolve(cwd),
    env,
    detached: isAsync,
    stdio: ["pipe", output, output],
  });
}

interface Started {
  readonly child: ChildProcess;
  readonly stdin: string;
}

/** The deadline is that of the native entry: it ends this process and its group. */
async function run({ child, stdin }: Started): Promise<Ended> {
  const printed = { stdout: "", stderr: "" };
  const keep = (stream: keyof typeof printed) => (text: string) => {
    printed[stream] += text;
    if (printed[stream].length > MAX_PRINTED) child.kill("SIGKILL");
  };
  child.stdout!.setEncoding("utf8").on("data", keep("stdout"));
  child.stderr!.setEncoding("utf8").on("data", keep("stderr"));
  child.stdin!.on("error", () => undefined).end(stdin);
  return new Promise((settle, reject) => {
    const end = (exitCode: number | null): void => {
      // A child of the hook's own may hold the pipes.
      child.stdout!.destroy();
      child.stderr!.destroy();
      settle({ exitCode, ...printed });
    };
    child.on("error", reject).on("close", end);
    child.on("exit", (exitCode) => void setTimeout(end, DRAIN_MS, exitCode));
  });
}

/** It is started and decides nothing; a group of its own outlives this process. */
function inBackground({ child, stdin }: Started): void {
  const leave = (): never => process.exit(0);
  child.on("error", leave).stdin!.on("error", leave).end(stdin, leave);
  setTimeout(leave, START_MS);
  print({ decision: "allow" });
}

function say(
  said: Said,
  {
    view,
    call,
    level,
  }: { readonly view: ToolView; readonly call: DialectCall; readonly level: DialectLevel },
): void {
  switch (said.kind) {
    case "allow":
    case "deny":
      return print({ decision: said.kind, ...reasonOf(said.reason) });
    case "ask":
      return print({
        decision: "deny",
        reason: `it wants a person to be asked${said.reason ? `: ${said.reason}` : ""}`,
      });
    case "modify": {
      const isMerged = said.merge === "hardened" ? level === "hardened" : said.merge;
      const input = view.restore(
        isMerged ? { ...asObject(call.input), ...said.input } : said.input,
        request.input,
      );
      return print({ decision: "modify", input, ...reasonOf(said.reason) });
    }
    case "replace":
      return print({ decision: "replace", output: said.output, ...reasonOf(said.reason) });
    default: {
      const output = call.result?.output;
      if (typeof output === "string")
        return print({ decision: "replace", output: `${output}\n\n${said.text}` });
      return print({ decision: said.blocks ? "deny" : "allow", reason: said.text });
    }
  }
}

function reasonOf(reason: string | undefined): JsonObject {
  return reason === undefined ? {} : { reason };
}

function print(answer: JsonObject): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

function parseJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    const strings = text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g);
    const keys = [...strings].filter(([, colon]) => colon !== undefined).length;
    // With a key twice, it is not one answer.
    return keys === countKeys(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function countKeys(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, member: JsonValue) => sum + countKeys(member), own);
}
