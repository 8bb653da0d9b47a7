import { parseStrict } from "@basis/core";
import { eventSchema, type BasisEvent } from "../events/event-schema.ts";
import type { NumberedLine } from "./numbered-lines.ts";

/** An event of a file, or why a line of it is none. */
export type FileEvent =
  | { readonly kind: "event"; readonly event: BasisEvent }
  | { readonly kind: "problem"; readonly line: number; readonly problem: string };

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The events of an event log's lines. A line that is no event is told and passed over, and so is a gap in a session's
 * numbers; nothing is made up for either.
 */
export async function* fileEvents(lines: AsyncIterable<NumberedLine>): AsyncGenerator<FileEvent> {
  const last = new Map<string, number>();
  for await (const line of lines) {
    const event = eventOf(line);
    if (typeof event === "string") {
      yield { kind: "problem", line: line.number, problem: event };
      continue;
    }
    const { session, seq } = event;
    const before = last.get(session);
    if (seq !== undefined && before !== undefined && seq !== before + 1)
      yield { kind: "problem", line: line.number, problem: gapInWords(session, before, seq) };
    if (seq !== undefined) last.set(session, seq);
    yield { kind: "event", event };
  }
}

function eventOf({ text, torn }: NumberedLine): BasisEvent | string {
  const parsed = parseStrict(text, { maxBytes: MAX_BYTES });
  if (!parsed.ok) return torn ? "the file ends in the middle of this line" : `is no JSON: ${parsed.message}`;
  const checked = eventSchema.safeParse(parsed.value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : `/${issue.path.join("/")}: `;
  return `is no event of this version: ${place}${issue?.message ?? "invalid"}`;
}

function gapInWords(session: string, before: number, seq: number): string {
  if (seq <= before) return `number ${seq} of session ${session} comes after ${before}`;
  return `number ${before + 1}${seq === before + 2 ? "" : ` to ${seq - 1}`} of session ${session} is missing`;
}
