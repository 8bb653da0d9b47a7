import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { JsonValue } from "@basis/core";
import type { BasisEvent } from "../events/event-schema.ts";
import type { Tool } from "../tools/tool.ts";
import { FileDiffs } from "./file-diffs.ts";
import { textContent, viewTool, type ToolView } from "./tool-view.ts";

/** Where the updates of a session go. */
export interface UpdateSink {
  /** False while the editor is behind. */
  readonly hasRoom: boolean;
  /** True for an editor that shows notices. */
  readonly takesNotices: boolean;
  send(update: SessionUpdate): void;
}

/** What the updates of a turn are made with. */
export interface TurnUpdatesOptions {
  readonly sink: UpdateSink;
  /** The workspace's real root. */
  readonly root: string;
  tool(name: string): Tool | undefined;
}

type Told = { [T in BasisEvent["type"]]: Extract<BasisEvent, { readonly type: T }> };

/** The events of one turn as updates, in their order. */
export class TurnUpdates {
  readonly diffs: FileDiffs;
  readonly #options: TurnUpdatesOptions;
  /** Inputs of calls that are not over, by the host's key. */
  readonly #calls = new Map<string, { readonly id: string; input: JsonValue }>();
  /** What of the message under way has been sent. */
  #sent = "";
  #isBehind = false;
  #finish: string | undefined;

  constructor(options: TurnUpdatesOptions) {
    this.#options = options;
    this.diffs = new FileDiffs(options.root);
  }

  /** Why the model's last answer ended. */
  get finish(): string | undefined {
    return this.#finish;
  }

  /** How the editor knows the call of that key; undefined for one that it was not told of. */
  callId(callKey: string): string | undefined {
    return this.#calls.get(callKey)?.id;
  }

  /** A call in the words that an editor shows. */
  view(name: string, input: JsonValue): ToolView {
    const tool = this.#options.tool(name);
    const effect = tool?.effectOf?.(input) ?? tool?.effect;
    return viewTool({ name, input, effect, root: this.#options.root });
  }

  hear(event: BasisEvent): void {
    switch (event.type) {
      case "assistant_delta":
        return this.#delta(event.data.text);
      case "assistant_reasoning_delta":
        return this.#thought(event.data.text);
      case "assistant_message":
        return this.#message(event.data);
      case "tool_queued":
        return this.#queued(event.data);
      case "tool_started":
        return this.#started(event.data);
      case "tool_progress":
        return this.#progress(event.data);
      case "tool_completed":
        return this.#completed(event.data);
      case "notice":
        return this.#notice(event.data.text);
      case "retry":
        return this.#notice(`the model is asked again: ${event.data.reason}`);
      default:
    }
  }

  /** Once a piece is left out, the rest comes with the whole message, so that no text is missing in between. */
  #delta(text: string): void {
    if (!this.#options.sink.hasRoom) this.#isBehind = true;
    if (this.#isBehind || text === "") return;
    this.#sent += text;
    this.#options.sink.send(chunk("agent_message_chunk", text));
  }

  #thought(text: string): void {
    const { sink } = this.#options;
    if (sink.hasRoom && text !== "") sink.send(chunk("agent_thought_chunk", text));
  }

  #message({ text, finish_reason: finish }: Told["assistant_message"]["data"]): void {
    const rest = text.startsWith(this.#sent) ? text.slice(this.#sent.length) : text;
    if (rest !== "") this.#options.sink.send(chunk("agent_message_chunk", rest));
    this.#sent = "";
    this.#isBehind = false;
    this.#finish = finish;
  }

  #queued({
    call_key: key,
    tool_call_id: toolCallId,
    tool_name: name,
    input,
  }: Told["tool_queued"]["data"]): void {
    this.#calls.set(key, { id: toolCallId, input });
    if (this.#isWrite(name, input)) void this.diffs.expect(input);
    const { sink } = this.#options;
    const view = this.view(name, input);
    sink.send({ sessionUpdate: "tool_call", toolCallId, ...view, status: "pending", rawInput: input });
  }

  #started({
    call_key: key,
    tool_call_id: toolCallId,
    tool_name: name,
    input,
  }: Told["tool_started"]["data"]): void {
    const isWrite = this.#isWrite(name, input);
    const diff = isWrite ? this.diffs.of(input) : undefined;
    if (isWrite) this.diffs.begin(input);
    this.#calls.set(key, { id: toolCallId, input });
    this.#update(toolCallId, {
      status: "in_progress",
      ...this.view(name, input),
      rawInput: input,
      ...(diff && { content: [diff] }),
    });
  }

  #progress({ tool_call_id: toolCallId, text }: Told["tool_progress"]["data"]): void {
    if (this.#options.sink.hasRoom) this.#update(toolCallId, { content: textContent(text) });
  }

  #completed(data: Told["tool_completed"]["data"]): void {
    const { call_key: key, tool_call_id: toolCallId, tool_name: name, output, is_error: isError } = data;
    const input = this.#calls.get(key)?.input;
    this.#calls.delete(key);
    const diff = input !== undefined && this.#isWrite(name, input) ? this.diffs.of(input) : undefined;
    if (input !== undefined && this.#isWrite(name, input)) this.diffs.settle(input, isError);
    const content: ToolCallContent[] = diff && !isError ? [diff] : textContent(output);
    this.#update(toolCallId, { status: isError ? "failed" : "completed", content, rawOutput: output });
  }

  #notice(title: string): void {
    const { sink } = this.#options;
    if (sink.takesNotices)
      sink.send({ sessionUpdate: "notice", severity: "warning", title: title.slice(0, 1000) });
  }

  #update(
    toolCallId: string,
    facts: Omit<
      Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>,
      "sessionUpdate" | "toolCallId"
    >,
  ): void {
    this.#options.sink.send({ sessionUpdate: "tool_call_update", toolCallId, ...facts });
  }

  #isWrite(name: string, input: JsonValue): boolean {
    const tool = this.#options.tool(name);
    return tool?.source === "builtin" && (tool.effectOf?.(input) ?? tool.effect) === "write";
  }
}

/** A piece of text as an update. */
export function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}
