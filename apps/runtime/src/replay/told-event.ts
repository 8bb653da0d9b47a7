import { toldInWords } from "../agent/transcript/told-message.ts";
import type { BasisEvent } from "../events/event-schema.ts";
import { EventLines, short, type EventLine } from "../cli/terminal/event-line.ts";

/** Longest text of a message that is shown. */
const MAX_TEXT = 4000;

/** Tells recorded events as lines: what a run shows while it goes on, and what was asked, answered and used. */
export class ToldEvents {
  readonly #lines = new EventLines();

  /** Undefined for what a person need not see. */
  of(event: BasisEvent): EventLine | undefined {
    switch (event.type) {
      case "run_started": {
        const { agent, model } = event.data;
        return {
          label: "run",
          tone: "note",
          text: `${agent} on ${model.provider}/${model.id}, session ${event.session}`,
        };
      }
      case "user_message":
        return { label: "user", tone: "plain", text: short(toldInWords(event.data), MAX_TEXT) };
      case "assistant_message":
        return event.data.text === ""
          ? undefined
          : { label: "model", tone: "good", text: short(event.data.text, MAX_TEXT) };
      case "run_finished":
        return finished(event.data);
      default:
        return this.#lines.of(event);
    }
  }
}

function finished({
  status,
  stopped_by: by,
  error,
  usage,
}: Extract<BasisEvent, { type: "run_finished" }>["data"]): EventLine {
  const { input_tokens: input, output_tokens: output } = usage.subtree;
  const why = [
    by === undefined ? "" : ` by ${by.replaceAll("_", " ")}`,
    error === undefined ? "" : `: ${short(error, 400)}`,
  ];
  return {
    label: "end",
    tone: status === "completed" ? "good" : "warn",
    text: `${status}${why.join("")}; ${input} tokens in, ${output} out${usage.complete ? "" : ", as far as known"}`,
  };
}
