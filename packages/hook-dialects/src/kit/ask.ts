// Answers one question of a native hook by a hook of another tool: `node ask.js PLACE`, the request on standard input.
// Runs from the workspace, where `import` puts it beside the hooks that it imported; loads nothing but its neighbours.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonObject, JsonValue } from "@basis/core";
import { findDialect } from "../bridge/dialects.ts";
import type { DialectCall, DialectHook, DialectLevel, DialectName, Ended, Said } from "../bridge/dialect.ts";
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
  const decoded = dialect.decode(hook, await run(hook, `${stdin}\n`, { ...process.env, ...own }), parseJson);
  if (decoded.kind !== "fell") return say(decoded, { view, call, level });
  const { vendor, hardened, message } = decoded;
  if (level === "faithful" && hook.onFailure !== "deny") return say(vendor, { view, call, level });
  const said = hardened ?? (vendor.kind === "deny" ? vendor : undefined);
  if (said !== undefined) return say(said, { view, call, level });
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

function callOf({ name: toolName, names, kind, server, show }: ToolView, cwd: string): DialectCall {
  const isAfter = request.event === "post_tool_use";
  const result = isAfter ? { output: request["output"]!, isError: request["is_error"] === true } : undefined;
  const ids = { toolCallId: request.tool_call_id, agentId: request.agent_id };
  const isChild = Number(request["depth"] ?? 0) > 0;
  const input = show(request.input);
  return { toolName, names, kind, server, input, ...ids, isChild, cwd, now: Date.now(), result };
}

/** The deadline is that of the native entry: it ends this process and its group. */
async function run(hook: DialectHook, stdin: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const [program = "", ...args] =
    typeof hook.command === "string" ? ["bash", "-c", hook.command] : hook.command;
  const words = args.map((word) =>
    word.replaceAll(/\$\{([A-Z_]+)\}/g, (whole, name: string) => env[name] ?? whole),
  );
  const child = spawn(program, words, { cwd: resolve(hook.cwd ?? "."), env, stdio: "pipe" });
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
  child.stdin.on("error", () => undefined).end(stdin);
  return new Promise((settle, reject) => {
    child.on("error", reject).on("close", (exitCode) => settle({ exitCode, ...printed }));
  });
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
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
