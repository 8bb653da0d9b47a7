import type { BasisEvent, EventData, EventType } from "../events/event-schema.ts";
import type { EventListener } from "../events/event-emitter.ts";
import { visibleText } from "@basis/approval";
import { paint, progress } from "./output-format.ts";

/** How a run is shown while it goes on. */
export interface Rendering {
  /** One event a line on standard output, of every session that the run reaches. */
  readonly json: boolean;
  readonly session: string;
  /** A typed run streams no text: its answer is the value. */
  readonly typed: boolean;
}

/** Shows events as they come: as JSON lines, or as a stream of text and progress for a person. */
export function renderEvents({ json, session, typed }: Rendering): EventListener {
  if (json) return (event) => void process.stdout.write(`${JSON.stringify(event)}\n`);
  let inText = false;
  return (event) => {
    if (event.type === "assistant_delta" && event.session === session && process.stdout.isTTY && !typed) {
      process.stdout.write(visibleText(event.data.text, { maxChars: Infinity, multiline: true }));
      inText = true;
      return;
    }
    const line = describe(event);
    if (inText && (line !== undefined || event.type === "run_finished")) {
      process.stdout.write("\n");
      inText = false;
    }
    if (line !== undefined) progress(`${event.parent ? "  " : ""}${line}`);
  };
}

type Describe = { readonly [T in EventType]?: (data: EventData<T>) => string | undefined };

const lines: Describe = {
  tool_started: ({ tool_name, input }) => paint.dim(`· ${tool_name} ${short(input)}`),
  tool_completed: ({ is_error, tool_name, output }) =>
    is_error ? `${paint.yellow("✗")} ${tool_name}: ${short(output)}` : undefined,
  hook_decided: ({ decision, tool_name, reason = "" }) =>
    decision === "allow" ? undefined : `${paint.cyan("hook")} ${decision} ${tool_name}: ${short(reason)}`,
  hook_failed: ({ who, failure }) => `${paint.red("hook failed:")} ${short(`${who} ${failure}`)}`,
  child_previewed: ({ preview }) => `${paint.cyan("child")} ${short(preview, 400)}`,
  child_finished: ({ agent, status }) => `${paint.cyan("child")} ${agent} ${status}`,
  output_rejected: ({ feedback }) => `${paint.yellow("answer rejected:")} ${short(feedback, 400)}`,
  session_healed: ({ calls }) => `${paint.yellow("healed:")} ${calls.length} call(s) of an interrupted turn`,
  retry: ({ attempt, delay_ms, reason }) =>
    `${paint.yellow("retry")} ${attempt} in ${Math.ceil(delay_ms / 1000)} s: ${short(reason)}`,
  notice: ({ text }) => `${paint.yellow("!")} ${short(text)}`,
  error: ({ message }) => `${paint.red("error:")} ${short(message)}`,
};

/** One line of progress; undefined for what a person need not see. */
export function describe(event: BasisEvent): string | undefined {
  return (lines[event.type] as ((data: unknown) => string | undefined) | undefined)?.(event.data);
}

/** A value on one line, fit for a terminal. */
export function short(value: unknown, max = 160): string {
  const raw = typeof value === "string" ? value : JSON.stringify(value);
  const text = visibleText(raw.replace(/\s+/g, " "), { maxChars: Infinity });
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
