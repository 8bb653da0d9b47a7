import type { JsonObject, JsonValue } from "@basis/core";
import { Admission } from "../binding/admission.ts";
import { ErrorResult, errorText } from "../binding/error-result.ts";
import type { InputValidator } from "../binding/input-check.ts";
import { unguarded, type GuardOptions, type ToolGuards } from "../binding/tool-guards.ts";
import type { HookCall } from "../hook-request.ts";
import {
  optionsOf,
  resultOf,
  shownOutput,
  type McpCall,
  type McpCallOptions,
  type McpCalls,
  type McpClient,
  type McpToolPage,
} from "./mcp-client.ts";
import { ToolSchemas } from "./tool-schemas.ts";

/** Whose calls are guarded, and how. */
export interface GuardMcpClientOptions extends Pick<
  GuardOptions,
  "agentId" | "parentAgentId" | "depth" | "effectOf"
> {
  /** Your name of the server: requests say `mcp:<server>` as their `toolSource`. */
  readonly server: string;
  /** Holds inputs to the schemas that the server lists: the client does not. */
  readonly validator: InputValidator;
}

/** What may be handed to an agent in place of a client: its guarded `callTool`, and its `listTools`. */
export interface GuardedMcpClient<Client extends McpClient> {
  readonly listTools: Client["listTools"];
  /** Takes what the client's own takes; its options may say the model's `toolCallId`. */
  readonly callTool: Client["callTool"] &
    ((
      params: Parameters<Client["callTool"]>[0],
      ...rest: readonly (McpCallOptions | undefined)[]
    ) => ReturnType<Client["callTool"]>);
}

/**
 * The tools of an MCP client with the chain around every call. What a guard denies, a wrong input, and what a
 * reviewer puts in place of a result are answered as results of the tool; what the client throws is thrown unless a
 * reviewer answers otherwise. Annotations of tools are not read: `effectOf` alone says what a call does.
 *
 * @throws HookError `unguarded_tool` when `client` is no MCP client, and from `callTool` for a call as a task.
 */
export function guardMcpClient<Client extends McpClient>(
  client: Client,
  guards: ToolGuards,
  options: GuardMcpClientOptions,
): GuardedMcpClient<Client> {
  if (typeof client?.callTool !== "function" || typeof client.listTools !== "function") {
    const reason =
      "has no callTool and listTools: @basis/hooks/mcp needs the Client of @modelcontextprotocol/sdk 1, or of @modelcontextprotocol/client 2";
    throw unguarded(`mcp:${options.server}`, reason, "");
  }
  const guarded = new GuardedClient(client as unknown as McpCalls, guards, options);
  const { callTool, listTools } = guarded;
  return Object.freeze({ callTool, listTools }) as unknown as GuardedMcpClient<Client>;
}

class GuardedClient {
  readonly #client: McpCalls;
  readonly #guards: ToolGuards;
  readonly #options: GuardMcpClientOptions;
  readonly #schemas: ToolSchemas;
  #calls = 0;

  constructor(client: McpCalls, guards: ToolGuards, options: GuardMcpClientOptions) {
    this.#client = client;
    this.#guards = guards;
    this.#options = options;
    this.#schemas = new ToolSchemas(client, options.validator);
  }

  readonly listTools = async (...args: [object?, ...unknown[]]): Promise<McpToolPage> => {
    const page = await this.#client.listTools(...args);
    this.#schemas.learn(page);
    return page;
  };

  readonly callTool = async (params: McpCall, ...rest: readonly unknown[]): Promise<JsonObject> => {
    const asked = { ...params };
    if (asked.task !== undefined)
      throw unguarded(asked.name, "is called as a task, whose result comes outside of the call", "");
    try {
      const call = await this.#admit(asked, optionsOf(rest));
      return await this.#run({ asked, call, rest });
    } catch (error) {
      if (error instanceof ErrorResult) return resultOf(error.message, true);
      throw error;
    }
  };

  async #admit(asked: McpCall, { signal, toolCallId }: McpCallOptions): Promise<HookCall> {
    const { server } = this.#options;
    const { name } = asked;
    this.#calls += 1;
    const admission = new Admission({
      name,
      check: this.#schemas.checkOf(name),
      guards: this.#guards,
      options: { ...this.#options, toolSource: `mcp:${server}` },
    });
    const id = toolCallId ?? `mcp:${server}:${this.#calls}`;
    const { call } = await admission.admit(asked.arguments ?? {}, { toolCallId: id, abortSignal: signal });
    return call;
  }

  async #run({ asked, call, rest }: AdmittedCall): Promise<JsonObject> {
    const { signal } = optionsOf(rest);
    let result: JsonObject | undefined;
    let thrown: unknown;
    try {
      const input = JSON.parse(call.inputJson) as JsonValue;
      result = await this.#client.callTool({ ...asked, arguments: input }, ...rest);
    } catch (error) {
      thrown = error;
    }
    const facts = result
      ? { output: shownOutput(result), isError: result["isError"] === true }
      : { output: errorText(thrown), isError: true };
    const outcome = await this.#guards.afterCall(call, facts, { signal });
    if (outcome.decision === "deny") return resultOf(outcome.reason, true);
    if (outcome.decision === "replace") return resultOf(outcome.output, outcome.isError);
    if (result === undefined) throw thrown;
    return result;
  }
}

/** A call that the guards let through, and what the client gets beside it. */
interface AdmittedCall {
  readonly asked: McpCall;
  readonly call: HookCall;
  readonly rest: readonly unknown[];
}
