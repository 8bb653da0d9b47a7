/**
 * The pause an answer asks for, in milliseconds: `retry-after-ms`, else `Retry-After` in seconds or as a date.
 * Undefined when neither is there or readable; never negative. Source: RFC 9110 section 10.2.3.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>> | undefined,
  nowMs: number,
): number | undefined {
  const exact = numberOf(headers?.["retry-after-ms"]);
  if (exact !== undefined) return exact;
  const text = headers?.["retry-after"]?.trim();
  const seconds = numberOf(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = text !== undefined && /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
