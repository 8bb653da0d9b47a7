import type { Attributes, Context, Span, SpanKind, Tracer } from "@opentelemetry/api";
import type { EventData, EventType } from "../events/event-schema.ts";
import type { ModelRequest } from "../providers/model.ts";
import type { RunTrace, TracedAnswer, TracedCall, TracedRun, TracePlace } from "./run-trace.ts";
import { callAttributes, errorType, modelAttributes, usageAttributes } from "./trace-attributes.ts";
import { genAi, genAiContent, OTHER_ERROR, own, spanEvents, spanNames } from "./trace-names.ts";
import { instructionsJson, messagesJson } from "./traced-content.ts";
import { formatTraceparent } from "./traceparent.ts";

/** What the spans of a run are made with. */
export interface TraceParts {
  readonly api: typeof import("@opentelemetry/api");
  readonly tracer: Tracer;
  /** Where the run's span stands. */
  readonly context: Context;
  /** What a recorded text is put through; undefined: texts are not recorded. */
  readonly content: ((text: string) => string) | undefined;
}

/** A tool that has run; its result is seen by guards before it is told. */
interface OpenTool {
  readonly span: Span;
  endedAt?: number;
}

type Data<T extends EventType> = EventData<T>;

/** The trace of one run in OpenTelemetry's spans. */
export class OtelRunTrace implements RunTrace {
  readonly traceparent: string;
  readonly #parts: TraceParts;
  readonly #run: TracedRun;
  readonly #span: Span;
  readonly #context: Context;
  readonly #tools = new Map<string, OpenTool>();
  readonly #approvals = new Map<string, Span>();
  #chat: Span | undefined;
  #errorCode: string | undefined;

  constructor(run: TracedRun, span: Span, parts: TraceParts) {
    this.#run = run;
    this.#span = span;
    this.#parts = parts;
    this.#context = parts.api.trace.setSpan(parts.context, span);
    this.traceparent = formatTraceparent(span.spanContext());
  }

  below(callKey: string): TracePlace {
    const span = this.#tools.get(callKey)?.span;
    return { place: span === undefined ? this.#context : this.#parts.api.trace.setSpan(this.#context, span) };
  }

  async chat<T extends TracedAnswer>(request: ModelRequest, work: () => Promise<T>): Promise<T> {
    const { api, content } = this.#parts;
    const { model } = this.#run;
    const span = this.#start(spanNames.chat(model.id), api.SpanKind.CLIENT, {
      [genAi.operation]: "chat",
      ...modelAttributes(model),
      [genAi.conversation]: this.#run.session,
      ...(request.responseFormat && { [genAi.outputType]: "json" }),
    });
    if (content) {
      if (request.system !== undefined)
        span.setAttribute(genAiContent.systemInstructions, content(instructionsJson(request.system)));
      span.setAttribute(genAiContent.inputMessages, content(messagesJson(request.messages)));
    }
    this.#chat = span;
    try {
      const answer = await api.context.with(api.trace.setSpan(this.#context, span), work);
      const { message, finishReason, usage } = answer;
      span.setAttributes({ [genAi.finishReasons]: [finishReason], ...usageAttributes(usage) });
      if (content)
        span.setAttribute(
          genAiContent.outputMessages,
          content(messagesJson([message], { finish_reason: finishReason })),
        );
      return answer;
    } catch (error) {
      this.#fail(span, errorType(error));
      throw error;
    } finally {
      this.#chat = undefined;
      span.end();
    }
  }

  async tool<T>(call: TracedCall, work: () => Promise<T>): Promise<T> {
    const { api } = this.#parts;
    const { callKey, toolCallId, toolName, source } = call;
    const span = this.#start(spanNames.executeTool(toolName), api.SpanKind.INTERNAL, {
      [genAi.operation]: "execute_tool",
      [genAi.toolName]: toolName,
      [genAi.toolCallId]: toolCallId,
      [genAi.toolType]: source.startsWith("mcp") ? "extension" : "function",
    });
    const open: OpenTool = { span };
    this.#tools.set(callKey, open);
    try {
      return await api.context.with(api.trace.setSpan(this.#context, span), work);
    } catch (error) {
      this.#fail(span, errorType(error));
      throw error;
    } finally {
      open.endedAt = Date.now();
    }
  }

  hear<T extends EventType>(type: T, data: Data<T>): void {
    try {
      this.#heard[type]?.(data);
    } catch {
      // A trace that fails must not end the run that it tells of.
    }
  }

  readonly #heard: { readonly [T in EventType]?: (data: Data<T>) => void } = {
    tool_started: ({ call_key, input }) => {
      this.#started.set(call_key, input);
    },
    tool_completed: (data) => this.#endTool(data),
    hook_failed: ({ tool_call_id, tool_name, who }) =>
      void this.#span.addEvent(spanEvents.hookFailed, {
        ...callAttributes(tool_call_id, tool_name),
        [own.hookName]: who,
      }),
    hook_decided: (data) => this.#hooksDecided(data),
    permission_requested: ({ call_key, tool_call_id, tool_name, level }) => {
      const attributes = { ...callAttributes(tool_call_id, tool_name), [own.approvalLevel]: level };
      this.#approvals.set(
        call_key,
        this.#start(spanNames.approval, this.#parts.api.SpanKind.INTERNAL, attributes),
      );
    },
    permission_resolved: (data) => this.#resolve(data),
    output_accepted: ({ attempt }) => this.#attempted(attempt, "accepted"),
    output_rejected: ({ attempt, verdict }) => this.#attempted(attempt, verdict),
    retry: ({ attempt, delay_ms }) =>
      void (this.#chat ?? this.#span).addEvent(spanEvents.retry, {
        [own.retryAttempt]: attempt,
        [own.retryDelayMs]: delay_ms,
      }),
    compaction_finished: ({ tokens_before, tokens_after }) =>
      void this.#span.addEvent(spanEvents.compaction, {
        [own.compactionOutcome]: "finished",
        [own.compactionBefore]: tokens_before,
        [own.compactionAfter]: tokens_after,
      }),
    compaction_failed: ({ code }) =>
      void this.#span.addEvent(spanEvents.compaction, { [own.compactionOutcome]: code }),
    error: ({ code, call_key }) => {
      if (call_key === undefined) this.#errorCode = code;
    },
    run_finished: (data) => this.#finish(data),
  };

  readonly #started = new Map<string, unknown>();

  #start(name: string, kind: SpanKind, attributes: Attributes): Span {
    return this.#parts.tracer.startSpan(name, { kind, attributes }, this.#context);
  }

  #fail(span: Span, type: string): void {
    span.setAttribute(genAi.errorType, type);
    span.setStatus({ code: this.#parts.api.SpanStatusCode.ERROR });
  }

  #endTool({ call_key, tool_call_id, tool_name, output, is_error }: Data<"tool_completed">): void {
    const { content } = this.#parts;
    const tool = this.#tools.get(call_key);
    if (tool === undefined) {
      if (is_error) this.#span.addEvent(spanEvents.callRefused, callAttributes(tool_call_id, tool_name));
      return;
    }
    const { span, endedAt } = tool;
    this.#tools.delete(call_key);
    if (content) {
      const input = this.#started.get(call_key);
      if (input !== undefined) span.setAttribute(genAiContent.toolArguments, content(JSON.stringify(input)));
      span.setAttribute(genAiContent.toolResult, content(JSON.stringify(output)));
    }
    this.#started.delete(call_key);
    if (is_error) this.#fail(span, "tool_error");
    span.end(endedAt);
  }

  /** The chain tells when it is done; its participants were asked one after the other. */
  #hooksDecided({ tool_call_id, tool_name, event, decision, participants }: Data<"hook_decided">): void {
    const { api, tracer } = this.#parts;
    const endTime = Date.now();
    const startTime = endTime - participants.reduce((sum, { ms }) => sum + ms, 0);
    const attributes = {
      ...callAttributes(tool_call_id, tool_name),
      [own.hookEvent]: event,
      [own.hookDecision]: decision,
      [own.hookParticipants]: participants.map(({ who }) => who),
    };
    tracer
      .startSpan(spanNames.hooks, { kind: api.SpanKind.INTERNAL, attributes, startTime }, this.#context)
      .end(endTime);
  }

  #resolve(data: Data<"permission_resolved">): void {
    const { call_key, tool_call_id, tool_name, decision, by, approval_id } = data;
    const span =
      this.#approvals.get(call_key) ??
      this.#start(
        spanNames.approval,
        this.#parts.api.SpanKind.INTERNAL,
        callAttributes(tool_call_id, tool_name),
      );
    this.#approvals.delete(call_key);
    span.setAttributes({
      [own.approvalDecision]: decision,
      ...(by !== undefined && { [own.approvalBy]: by }),
      ...(approval_id !== undefined && { [own.approvalId]: approval_id }),
    });
    span.end();
  }

  #attempted(attempt: number, verdict: string): void {
    this.#span.addEvent(spanEvents.outputAttempt, {
      [own.outputAttempt]: attempt,
      [own.outputVerdict]: verdict,
    });
  }

  #finish({ status, stopped_by, usage }: Data<"run_finished">): void {
    for (const { span, endedAt } of this.#tools.values()) span.end(endedAt);
    for (const span of this.#approvals.values()) span.end();
    const { self, subtree, complete } = usage;
    this.#span.setAttributes({
      [own.outcome]: status,
      ...(stopped_by !== undefined && { [own.stoppedBy]: stopped_by }),
      [genAi.inputTokens]: self.input_tokens,
      [genAi.outputTokens]: self.output_tokens,
      [own.subtreeInputTokens]: subtree.input_tokens,
      [own.subtreeOutputTokens]: subtree.output_tokens,
      [own.usageComplete]: complete,
    });
    if (status === "failed") this.#fail(this.#span, this.#errorCode ?? OTHER_ERROR);
    this.#span.end();
  }
}
