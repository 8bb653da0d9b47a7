import type { JsonObject } from "@basis/core";
import type { InvalidMessage, MessageFacts, MessageKind, TranscriptShape } from "../transcript-shape.ts";
import { MessageMarks } from "./message-marks.ts";
import { asObject, eachPart, itemPath } from "./message-parts.ts";
import { redactAgentItems } from "./redact-agent-items.ts";

/** One item as far as a transcript reads it; `AgentInputItem` of OpenAI Agents is assignable to it. */
export interface AgentItem {
  readonly type?: string | undefined;
  readonly role?: string | undefined;
  readonly callId?: string | null | undefined;
}

/**
 * Reads the items of OpenAI Agents. A row is a list of items that belong together: everything that the model answered
 * at once, or the results that answer it. `function_call` and the calls of computers, shells and patches open `call:`
 * and their `callId`, and their results close it; a hosted MCP server's approval request opens `approval:` and its id. What
 * the provider executes opens nothing.
 *
 * Source: `AgentInputItem` of @openai/agents 0.20.
 */
export const openAiAgentsShape: TranscriptShape<readonly AgentItem[]> = Object.freeze({
  name: "openai-agents/items@1",
  inspect: inspectItems,
  redact: redactAgentItems,
});

const CALLS: ReadonlySet<string> = new Set([
  "function_call",
  "computer_call",
  "shell_call",
  "apply_patch_call",
]);
const RESULTS: ReadonlySet<string> = new Set([
  "function_call_result",
  "computer_call_result",
  "shell_call_output",
  "apply_patch_call_output",
]);

/** The kind of one item, by its role or type. */
export function kindOfItem({ type, role }: AgentItem): MessageKind {
  if (role === "user" || role === "system") return role;
  return type !== undefined && RESULTS.has(type) ? "tool" : "assistant";
}

function inspectItems(items: readonly AgentItem[]): MessageFacts | InvalidMessage {
  const marks = new MessageMarks();
  if (!Array.isArray(items) || items.length === 0) return { problem: "is no list of items" };
  for (const [index, value] of items.entries()) readItem(value, itemPath("", index), marks);
  const kinds = new Set(
    (items as readonly AgentItem[]).map((item) => (asObject(item) ? kindOfItem(item) : "user")),
  );
  if (kinds.size > 1) marks.refuse("", "one row holds items of different kinds");
  const [kind = "assistant"] = kinds;
  return marks.facts(kind);
}

function readItem(value: unknown, path: string, marks: MessageMarks): void {
  const item = asObject(value);
  if (item === undefined) return marks.refuse(path, "is no item");
  const { type = "message" } = item;
  if (typeof type !== "string") return marks.refuse(`${path}/type`, "is no text");
  if (type === "message") return readMessage(item, path, marks);
  if (CALLS.has(type)) return marks.open("call", item["callId"], { path, field: "callId" });
  if (RESULTS.has(type)) return marks.close("call", item["callId"], { path, field: "callId" });
  if (type === "hosted_tool_call") readHosted(item, path, marks);
}

function readMessage(item: JsonObject, path: string, marks: MessageMarks): void {
  const { role, content } = item;
  if (role !== "user" && role !== "system" && role !== "assistant")
    return marks.refuse(`${path}/role`, "is none of system, user, assistant");
  eachPart({ value: content, path: `${path}/content` }, marks, () => undefined);
}

/** Of what the provider runs, approvals alone wait for somebody. */
function readHosted(item: JsonObject, path: string, marks: MessageMarks): void {
  const data = asObject(item["providerData"]) ?? {};
  if (data["type"] === "mcp_approval_request") marks.open("approval", data["id"], { path, field: "id" });
  if (data["type"] === "mcp_approval_response") {
    const field = "approval_request_id";
    marks.close("approval", data[field], { path, field });
  }
}
