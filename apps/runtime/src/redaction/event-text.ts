import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import type { BasisEvent } from "../events/event-schema.ts";
import { cleanText, cleanValue, REDACTED, withTexts } from "./texts.ts";

/** Fields of an event's data that name and number things, or are one of a few words: they stay as they are. */
const structural =
  /^(?:.*_id|.*_key|.*_session|session|row|round|attempt|delay_ms|tool_name|agent|member|model|server|state|status|output_status|stopped_by|decision|level|event|kind|code|finish_reason|is_error|committed|complete|usage|calls|schema|version|last|message_count|prefix_digest|not_asked|trigger|messages|tokens|summarised|kept|tokens_before|tokens_after)$/;

/** Those of them that hold what somebody called something, and not a word or number of the log's own. */
const naming = /^(?:.*_id|.*_key|.*_session|session|tool_name|agent|member|model|server|calls)$/;

/** Digests of what a call had or shows: they would tell a guessed text right. */
const telling: readonly string[] = ["digest", "plan_digest"];

/** Fields whose values are anybody's JSON: names of fields are said in it, too. */
const free = /^(?:input|output|preview|candidate|value|feedback)$/;

/** What the others hold beneath them that names something, or is one of a few words. */
const fixed = /^(?:media_type|digest|stage|keyword)$/;

/** An event without these texts; undefined when it has none of them. */
export function eventWithoutTexts(event: BasisEvent, forms: readonly string[]): BasisEvent | undefined {
  return withContent(event, (value, field) =>
    free.test(field) ? cleanValue(value, forms) : withTexts(value, fixed, (text) => cleanText(text, forms)),
  );
}

/** All that an event says; not what it calls and numbers things. */
export function spokenInEvent(event: BasisEvent): JsonValue[] {
  const spoken: JsonValue[] = [];
  const keep = <V extends JsonValue>(value: V): V => {
    spoken.push(value);
    return value;
  };
  withContent(event, (value, field) => (free.test(field) ? keep(value) : withTexts(value, fixed, keep)));
  return spoken;
}

/**
 * An event without what it tells of these messages and of the calls in them; undefined when it tells nothing of them.
 * What a call came to is told by another message.
 */
export function eventWithoutMessages(event: BasisEvent, ids: ReadonlySet<string>): BasisEvent | undefined {
  const data = event.data as JsonObject;
  const told = data["message_id"];
  const callKey = data["call_key"];
  const isTold = typeof told === "string" ? ids.has(told) : isCallOf(callKey, ids);
  return isTold ? withContent(event, emptied) : undefined;
}

/** Whether one of the texts is part of an id or of a name, which stay. */
export function isInNames(event: BasisEvent, forms: readonly string[]): boolean {
  return Object.entries(event.data as JsonObject).some(
    ([field, value]) => naming.test(field) && leavesOf(value).some((leaf) => cleanText(leaf, forms) !== leaf),
  );
}

function leavesOf(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((item: JsonValue) => leavesOf(item));
}

/** The row that a call stands in is the middle of its key. */
export function isCallOf(callKey: unknown, ids: ReadonlySet<string>): boolean {
  return typeof callKey === "string" && ids.has(callKey.split(":")[1] ?? "");
}

function emptied(value: JsonValue, field: string): JsonValue {
  if (field === "images") return Array.isArray(value) && value.length > 0 ? [] : value;
  if (typeof value === "string") return value === "" ? value : REDACTED;
  if (Array.isArray(value)) {
    const items = value.map((item) => emptied(item, ""));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? value : REDACTED;
  return value;
}

/** How the value of a field changes; the same value when it does not. */
type Change = (value: JsonValue, field: string) => JsonValue;

/** What participants of a hook chain said has a fixed form; why, how one failed and what it left is free. */
function withAnswers(value: JsonValue, clean: Change): JsonValue {
  if (!Array.isArray(value)) return value;
  const items = value.map((item) => (isJsonObject(item) ? answerWith(item, clean) : item));
  return items.every((item, at) => item === value[at]) ? value : items;
}

function answerWith(item: JsonObject, clean: Change): JsonObject {
  const changed: Record<string, JsonValue> = {};
  for (const field of ["failure", "reason", "input"]) {
    const value = item[field];
    if (value === undefined) continue;
    const cleaned = clean(value, field);
    if (cleaned !== value) changed[field] = cleaned;
  }
  return Object.keys(changed).length === 0 ? item : { ...item, ...changed };
}

function withContent(event: BasisEvent, clean: Change): BasisEvent | undefined {
  let found = false;
  const data = Object.entries(event.data as JsonObject).map(([field, value]) => {
    if (structural.test(field) || telling.includes(field)) return [field, value] as const;
    const cleaned = field === "participants" ? withAnswers(value, clean) : clean(value, field);
    found ||= cleaned !== value;
    return [field, cleaned] as const;
  });
  if (!found) return undefined;
  const hidden = data.map(([field, value]) => [field, telling.includes(field) ? "redacted" : value] as const);
  return { ...event, data: Object.fromEntries(hidden) } as BasisEvent;
}
