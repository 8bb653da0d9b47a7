import { isJsonObject, type JsonValue } from "@basis/core";
import { visibleText } from "@basis/approval";
import type { BasisEvent, EventData, EventType } from "../../events/event-schema.ts";
import { counted } from "./output-format.ts";

/** How a line stands out. */
export type Tone = "plain" | "good" | "warn" | "bad" | "note";

/** One event in words for a person: what kind of thing happened, then what. */
export interface EventLine {
  readonly label: string;
  readonly tone: Tone;
  readonly text: string;
  /** Set below it, one a line. */
  readonly details?: readonly string[];
}

type Data<T extends EventType> = EventData<T>;

/**
 * Tells events as lines. It remembers what was asked, so that what was approved, refused or executed can be told once
 * and in one place.
 */
export class EventLines {
  readonly #queued = new Map<string, JsonValue>();
  readonly #asked = new Map<string, Data<"permission_requested">>();
  readonly #told = new Set<string>();

  /** Undefined for what a person need not see. */
  of(event: BasisEvent): EventLine | undefined {
    switch (event.type) {
      case "assistant_message":
        return event.data.text === ""
          ? undefined
          : line("model", "plain", `“${short(event.data.text, 400)}”`);
      case "tool_queued":
        return void this.#queued.set(event.data.call_key, event.data.input);
      case "permission_requested":
        return void this.#asked.set(event.data.call_key, event.data);
      case "permission_resolved":
        return this.#resolved(event.data);
      case "tool_started":
        return this.#started(event.data);
      case "tool_completed":
        return this.#completed(event.data);
      case "hook_decided":
        return this.#decided(event.data);
      default:
        return told(event);
    }
  }

  #resolved({
    call_key,
    tool_name,
    decision,
    by,
    reason,
    approval_id,
  }: Data<"permission_resolved">): EventLine {
    const asked = this.#asked.get(call_key);
    this.#told.add(call_key);
    const who = by === undefined ? "" : ` by ${short(by)}`;
    const what = `${tool_name}${asked ? ` (${asked.level})` : ""}`;
    switch (decision) {
      case "allow":
        return line("approved", "good", `${what}${who}, bound to ${(asked?.digest ?? "").slice(0, 19)}…`);
      case "parked":
        return line("parked", "warn", `${what} waits for approval ${approval_id ?? ""}`);
      case "edited":
        return line("edited", "note", `${what}${who}`);
      case "deny":
        return line("refused", "warn", `${what}${who}${reason === undefined ? "" : `: ${short(reason)}`}`);
    }
  }

  #started({ call_key, tool_name, input }: Data<"tool_started">): EventLine {
    const asked = this.#queued.get(call_key);
    const changes = asked === undefined ? "" : changesOf(asked, input);
    return line("tool", "plain", `${tool_name} ${inputInWords(input)}${changes}`);
  }

  #completed({ call_key, tool_name, output, is_error }: Data<"tool_completed">): EventLine | undefined {
    if (!is_error || this.#told.has(call_key) || tool_name.startsWith("basis_output_")) return undefined;
    return line("failed", "warn", `${tool_name}: ${short(output)}`);
  }

  #decided({ call_key, tool_name, decision, reason = "" }: Data<"hook_decided">): EventLine | undefined {
    switch (decision) {
      case "allow":
        return undefined;
      case "modify":
        return line("changed", "note", `${tool_name}: ${short(reason)}`);
      case "replace":
        return line("replaced", "note", `the result of ${tool_name}: ${short(reason)}`);
      case "deny": {
        this.#told.add(call_key);
        const input = this.#queued.get(call_key);
        return line("denied", "warn", `${tool_name} ${inputInWords(input ?? null)}: ${short(reason, 200)}`);
      }
    }
  }
}

/** Events that stand for themselves. */
const tellers: { readonly [T in EventType]?: (data: Data<T>) => EventLine | undefined } = {
  hook_failed: ({ who, failure }) =>
    line("crashed", "bad", `${short(who)} ${short(failure)}; a guard that cannot answer denies`),
  child_previewed: ({ preview, dropped, unknown = [] }) => ({
    ...line("preview", "note", "what would be delegated"),
    details: [
      ...previewLines(preview),
      ...(dropped.length > 0 ? [`dropped ${short(dropped.join(", "))}: its parent lacks them`] : []),
      ...(unknown.length > 0 ? [`unknown ${short(unknown.join(", "))}: no tool has that name`] : []),
    ],
  }),
  child_started: ({ agent, model }) => line("child", "note", `${agent} starts on ${modelInWords(model)}`),
  child_finished: ({ agent, status }) => line("child", "note", `${agent} ${status}`),
  output_rejected: ({ feedback }) => ({
    ...line("rejected", "warn", "the answer"),
    details: feedbackLines(feedback),
  }),
  output_accepted: ({ attempt }) => line("accepted", "good", `the answer, at attempt ${attempt}`),
  session_healed: ({ calls }) =>
    line(
      "healed",
      "warn",
      `${calls.map(({ tool_name }) => tool_name).join(", ")}: interrupted, told to the model, not repeated`,
    ),
  error: ({ tool_name, message }) =>
    tool_name === undefined ? undefined : line("error", "bad", `${tool_name}: ${short(message, 300)}`),
  retry: ({ attempt, delay_ms, reason }) =>
    line("retry", "warn", `${attempt} in ${Math.ceil(delay_ms / 1000)} s: ${short(reason)}`),
  mcp_server: ({ server, state, reason, changed = [] }) => {
    if (state === "late" || (state === "ready" && changed.length === 0)) return undefined;
    const why = state === "ready" ? `its tools changed: ${changed.join(", ")}` : (reason ?? "");
    return line("server", state === "ready" ? "note" : "warn", `${server} ${state}: ${short(why, 300)}`);
  },
  compaction_started: ({ messages, tokens }) =>
    line("compact", "note", `summarising, of ${counted(messages, "message")}, about ${tokens} tokens`),
  compaction_finished: ({ summarised, kept, tokens_before, tokens_after }) =>
    line(
      "compacted",
      "good",
      `${counted(summarised, "message")} summarised, ${kept} kept: about ${tokens_before} → ${tokens_after} tokens`,
    ),
  compaction_failed: ({ message }) =>
    line("compact", "warn", `not compacted, the session is as it was: ${short(message, 300)}`),
  notice: ({ text }) => line("notice", "warn", short(text, 400)),
  fork_committed: ({ member, message_count }) =>
    line("fork", "note", `${member} committed, ${counted(message_count, "message")}`),
  fork_provisioned: ({ member }) => line("fork", "good", `${member} seated`),
  fork_failed: ({ member, message, committed }) =>
    line(committed ? "unseated" : "refused", "warn", `${member}: ${short(message, 300)}`),
  fork_recovered: ({ member }) => line("recovered", "good", member),
};

function told(event: BasisEvent): EventLine | undefined {
  return (tellers[event.type] as ((data: unknown) => EventLine | undefined) | undefined)?.(event.data);
}

function line(label: string, tone: Tone, text: string): EventLine {
  return { label, tone, text };
}

/** `task`, model, roster and system text of a planned child, one a line; a command is shown as it stands. */
function previewLines(preview: JsonValue): readonly string[] {
  const { body, child } = isJsonObject(preview) ? preview : { body: preview };
  const fields = isJsonObject(child) ? Object.entries(child) : [];
  return [["task", body ?? null] as const, ...fields].map(
    ([name, value]) => `${name.padEnd(7)} ${fieldInWords(value)}`,
  );
}

function fieldInWords(value: JsonValue): string {
  if (!isJsonObject(value)) return short(value);
  const { provider, id, offered } = value;
  if (typeof provider === "string" && typeof id === "string") return short(modelInWords({ provider, id }));
  return Array.isArray(offered) ? short(offered.join(", ")) : short(value);
}

/** A model by the name that `--model` takes. */
function modelInWords({ provider, id }: { readonly provider: string; readonly id: string }): string {
  return provider === "scripted" ? `scripted:${id}` : `${provider}/${id}`;
}

/** The complaints of a rejection, one a line. */
function feedbackLines(feedback: JsonValue): readonly string[] {
  const text = typeof feedback === "string" ? feedback : JSON.stringify(feedback);
  return text
    .split("\n")
    .filter((each) => each.startsWith("- "))
    .map((each) => short(each.slice(2), 200));
}

/** The fields that guards changed between asking and executing. */
function changesOf(asked: JsonValue, executed: JsonValue): string {
  if (!isJsonObject(asked) || !isJsonObject(executed)) return "";
  const changed = Object.keys(executed).filter(
    (key) => JSON.stringify(asked[key]) !== JSON.stringify(executed[key]),
  );
  const was = changed.map((key) => `${key} ${short(asked[key] ?? null, 60)}`);
  return was.length === 0 ? "" : ` (asked for: ${was.join(", ")})`;
}

/** A tool's input on one line: a single text or list of words bare, anything else as JSON. */
function inputInWords(input: JsonValue): string {
  const values = isJsonObject(input) ? Object.values(input) : [];
  const [only] = values;
  if (values.length !== 1) return short(input);
  return Array.isArray(only) ? short(only.join(" ")) : short(only ?? null);
}

/** A value on one line, fit for a terminal. */
export function short(value: unknown, max = 160): string {
  const raw = typeof value === "string" ? value : JSON.stringify(value);
  const text = visibleText(raw.replace(/\s+/g, " "), { maxChars: Infinity });
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
