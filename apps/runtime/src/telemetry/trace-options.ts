/** How much a trace tells, and where it begins. */
export interface TraceOptions {
  /**
   * Records prompts, answers, tool inputs and results too, each redacted. Default: false, and then no text
   * that a model, tool or person wrote is in a trace.
   */
  readonly content?: boolean | undefined;
  /** What else is replaced; the secrets of this process always are. */
  readonly redact?: ((text: string) => string) | undefined;
  /** A W3C `traceparent` under which runs stand when the process has no active span. */
  readonly traceparent?: string | undefined;
}

/**
 * How a program's environment says that it is traced: TRACEPARENT is the span that it was started under, and the
 * conventions' own variable asks for content.
 */
export function traceOptions(env: Readonly<Record<string, string | undefined>>): TraceOptions {
  return {
    traceparent: env["TRACEPARENT"],
    content: env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]?.toLowerCase() === "true",
  };
}
