import { visibleText } from "@basis/approval";
import type { EventListener } from "../../events/event-emitter.ts";
import type { BasisEvent } from "../../events/event-schema.ts";
import { EventLines, short, type EventLine } from "./event-line.ts";
import { answer, colorsFor, progress, writeText } from "./output-format.ts";

/** How a run is shown while it goes on. */
export interface Rendering {
  /** One event a line on standard output, of every session that the run reaches. */
  readonly json: boolean;
  readonly session: string;
  /** A typed run streams no text: its answer is the value. */
  readonly typed: boolean;
  /** False for a run of another process, of whose text no pieces come. Default true. */
  readonly live?: boolean;
}

/** Shows events as they come: as JSON lines, or as a stream of text and progress for a person. */
export function renderEvents({ json, session, typed, live = true }: Rendering): EventListener {
  if (json) return printJson;
  const streams = process.stdout.isTTY && live && !typed;
  const lines = new EventLines();
  let inText = false;
  return (event) => {
    if (event.type === "assistant_delta") {
      if (!streams || event.session !== session) return;
      writeText(event.data.text);
      inText = true;
      return;
    }
    const line = isAnswer(event, { session, streams }) ? undefined : lines.of(event);
    if (inText && (line !== undefined || event.type === "run_finished")) {
      process.stdout.write("\n");
      inText = false;
    }
    if (line !== undefined)
      progress(formatLine(line, { stream: process.stderr, child: event.parent !== undefined }));
  };
}

/** One line on standard output; why the run has not begun yet stands on standard error too. */
function printJson(event: BasisEvent): void {
  answer(JSON.stringify(event));
  if (event.type === "notice" && event.run === undefined) progress(short(event.data.text, 400));
}

/** Text that stands on standard output already, or will. */
function isAnswer(event: BasisEvent, { session, streams }: { session: string; streams: boolean }): boolean {
  if (event.type !== "assistant_message" || event.session !== session) return false;
  return streams || event.data.calls.length === 0;
}

const LABEL_WIDTH = 9;

/** One line of progress, its details below; what a child does is set in. Nothing in it can steer a terminal. */
export function formatLine(
  { label, tone, text, details = [] }: EventLine,
  { stream, child }: { readonly stream: { readonly isTTY?: boolean }; readonly child: boolean },
): string {
  const paint = colorsFor(stream);
  const color = { plain: paint.dim, good: paint.green, warn: paint.yellow, bad: paint.red, note: paint.cyan }[
    tone
  ];
  const indent = child ? "    " : "  ";
  const below = details
    .map((detail) => `\n${indent}${" ".repeat(LABEL_WIDTH + 1)}${visible(detail)}`)
    .join("");
  return `${indent}${color(label.padEnd(LABEL_WIDTH))} ${visible(text)}${below}`;
}

function visible(text: string): string {
  return visibleText(text, { maxChars: Infinity });
}
