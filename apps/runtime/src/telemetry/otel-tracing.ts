import type { Context, Link, Tracer } from "@opentelemetry/api";
import { version } from "../version.ts";
import { OtelRunTrace } from "./otel-run-trace.ts";
import type { ForkSource, RunTrace, TracedFork, TracedRun, Tracing } from "./run-trace.ts";
import { errorType, modelAttributes } from "./trace-attributes.ts";
import { genAi, own, spanNames } from "./trace-names.ts";
import type { TraceOptions } from "./trace-options.ts";
import { parseTraceparent } from "./traceparent.ts";

type Api = typeof import("@opentelemetry/api");

/** Tracing by what is registered with OpenTelemetry's API. */
export class OtelTracing implements Tracing {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #options: TraceOptions;

  constructor(api: Api, options: TraceOptions) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("@basis/runtime", version);
    this.#options = options;
  }

  begin(run: TracedRun): RunTrace | undefined {
    const { SpanKind } = this.#api;
    const context = (run.below?.place as Context | undefined) ?? this.#outside();
    const attributes = {
      [genAi.operation]: "invoke_agent",
      [genAi.agentName]: run.agent.name,
      [genAi.agentId]: run.agent.agentId,
      [genAi.conversation]: run.session,
      ...modelAttributes(run.model),
      [own.runId]: run.run,
      ...(run.source && { [own.forkSource]: run.source.session }),
    };
    const links = run.source === undefined ? [] : linksTo(run.source);
    const name = spanNames.invokeAgent(run.agent.name);
    const span = this.#tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes, links }, context);
    if (!this.#api.isSpanContextValid(span.spanContext())) return undefined;
    const { content, redact = (text: string) => text } = this.#options;
    const recorded = content === true && span.isRecording() ? redact : undefined;
    return new OtelRunTrace(run, span, { api: this.#api, tracer: this.#tracer, context, content: recorded });
  }

  async fork<T extends TracedFork>(work: () => Promise<T>): Promise<T> {
    const { SpanKind, SpanStatusCode, trace, context: contexts } = this.#api;
    const context = this.#outside();
    const span = this.#tracer.startSpan(spanNames.fork, { kind: SpanKind.INTERNAL }, context);
    try {
      const made = await contexts.with(trace.setSpan(context, span), work);
      span.setAttributes({
        [own.forkOperation]: made.operationId,
        [own.forkSource]: made.lineage.sessionId,
        [own.forkSession]: made.sessionId,
      });
      return made;
    } catch (error) {
      span.setAttribute(genAi.errorType, errorType(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  /** The host's active span, else what the process was started under. */
  #outside(): Context {
    const { trace, context } = this.#api;
    const active = context.active();
    if (trace.getSpan(active) !== undefined) return active;
    const started = parseTraceparent(this.#options.traceparent);
    return started === undefined ? active : trace.setSpanContext(active, started);
  }
}

/** The run of the source that the fork began from: its last one before the fork. */
function linksTo({ traceparent, session }: ForkSource): Link[] {
  const context = parseTraceparent(traceparent);
  return context === undefined ? [] : [{ context, attributes: { [own.forkSource]: session } }];
}
