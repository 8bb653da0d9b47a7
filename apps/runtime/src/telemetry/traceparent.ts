import type { SpanContext } from "@opentelemetry/api";

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** Reads a W3C `traceparent`; undefined when it is none. A later version is read as far as this one goes. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags] = FORM.exec(text?.trim() ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || version === "ff") return undefined;
  if (version === "00" && text!.trim().length !== 55) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) & 1, isRemote: true };
}

/** A span in the W3C form. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
