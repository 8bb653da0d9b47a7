import { context, trace, type Span } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { onTestFinished } from "vitest";

/** What the real SDK was handed in one test. */
export interface RecordedSpans {
  all(): readonly ReadableSpan[];
  named(name: string): ReadableSpan;
  /** The names of a span's children, in the order in which they began. */
  below(span: ReadableSpan): readonly string[];
  /** Runs work inside a span of the test's own. */
  inside<T>(work: (span: Span) => Promise<T>): Promise<T>;
}

/** Registers the SDK until the test is over. `contexts: false`: a host that has no context manager. */
export function recordSpans({ contexts = true }: { readonly contexts?: boolean } = {}): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  if (contexts) context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  const all = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return {
    all,
    named(name) {
      const found = all().filter((span) => span.name === name);
      if (found.length !== 1) throw new Error(`${found.length} spans are called '${name}'`);
      return found[0]!;
    },
    below: (span) =>
      all()
        .filter(({ parentSpanContext }) => parentSpanContext?.spanId === span.spanContext().spanId)
        .toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])
        .map(({ name }) => name),
    inside: (work) =>
      provider
        .getTracer("test")
        .startActiveSpan("the host's own", (span) => work(span).finally(() => span.end())),
  };
}
