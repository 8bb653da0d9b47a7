import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { visibleText, type Clock, type JsonObject, type JsonValue } from "@basis/core";
import type { InputCheck } from "../tools/input-check.ts";
import { textOutcome, ToolFailure, type ToolContext, type ToolOutcome } from "../tools/tool.ts";
import { callOutcome } from "./call-result.ts";
import type { ServerLink } from "./server-link.ts";
import { sparseProgress } from "./sparse-progress.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** One call of a server's tool. */
export interface ServerCall {
  readonly server: string;
  readonly definition: ToolDefinition;
  readonly input: JsonObject;
  readonly context: ToolContext;
  readonly clock: Clock;
  readonly compile: (schema: JsonObject) => Promise<InputCheck>;
}

/** The server was lost while a call ran. */
export class LostError extends Error {
  override readonly name = "LostError";

  constructor(cause: unknown) {
    super("the server was lost", { cause });
  }
}

/** The server answered, but not as the protocol says. */
const noResult: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
]);

/**
 * Makes the call once. An abort tells the server and is thrown as it is.
 *
 * @throws ToolFailure for what the server answered, LostError for what kept it from answering.
 */
export async function makeCall(link: ServerLink, call: ServerCall): Promise<ToolOutcome> {
  const { server, definition, input, context, clock } = call;
  const { name, outputSchema } = definition;
  const { signal } = context;
  try {
    const answer = await link.callTool({ name, input, signal, progress: sparseProgress(context, clock) });
    const misfit =
      outputSchema === undefined || answer.isError
        ? undefined
        : misfitOf(answer.structuredContent as JsonValue | undefined, await call.compile(outputSchema));
    if (misfit === undefined) return callOutcome(answer);
    return textOutcome(`the answer of '${server}' does not fit the schema that it declared: ${misfit}`, true);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProtocolError)
      throw new ToolFailure(`the MCP server '${server}' refused the call: ${visibleText(error.message)}`);
    if (error instanceof SdkError && noResult.has(error.code))
      throw new ToolFailure(`what the MCP server '${server}' answered is no result of a tool`);
    throw new LostError(error);
  }
}

function misfitOf(answer: JsonValue | undefined, check: InputCheck): string | undefined {
  return answer === undefined ? "it has no structured content" : check(answer);
}
