import type { JsonValue } from "@basis/core";
import { insideJson } from "./found-texts.ts";
import { redactMessage } from "./redact-message.ts";
import { encodeMessage } from "./prepared-write.ts";
import { checkList, checkRepeatable } from "./write-checks.ts";
import { checkMost, checkName, invalidRequest } from "./request-checks.ts";
import { SessionError } from "./session-error.ts";
import type { TranscriptShape } from "./transcript-shape.ts";
import type { RedactRequest } from "./upkeep.ts";

const MAX_MESSAGES = 256;
const SHORTEST_SECRET = 4;
/** A message's own text is looked for elsewhere from this length on: shorter ones stand anywhere. */
const SHORTEST_TEXT = 8;

/** Refuses a redaction that no store could carry out; answers how to replace a message. @throws SessionError `invalid_request`. */
export function checkRedaction<M, Tx>(
  request: RedactRequest<M, Tx>,
  shape: TranscriptShape<M>,
): (message: M) => M {
  checkName("sessionId", request.sessionId);
  checkRepeatable(request);
  const ids = checkList("messageIds", request.messageIds);
  checkMost("messageIds", ids.length, MAX_MESSAGES);
  if (ids.length === 0) throw invalidRequest("messageIds", "must name at least one message");
  for (const id of ids) checkName("messageIds", id);
  for (const secret of checkList("secrets", request.secrets)) {
    if (typeof secret !== "string" || secret.length < SHORTEST_SECRET) {
      throw invalidRequest("secrets", `must be texts of at least ${SHORTEST_SECRET} characters`);
    }
  }
  const { replace } = request;
  if (replace !== undefined && typeof replace !== "function")
    throw invalidRequest("replace", "must be a function");
  return replace ?? ((message) => (shape.redact?.(message) ?? redactMessage(message)) as M);
}

/** A body that stands in place of another. */
export interface ReplacedBody {
  readonly text: string;
  /** The blob that `text` is kept in, when it is too long for its row. */
  readonly blob: string | null;
}

/** The body in place of a message. Pure. @throws SessionError `invalid_message` when it is of another kind or opens or closes other calls. */
export function replaceBody<M>(
  shape: TranscriptShape<M>,
  message: M,
  replace: (message: M) => M,
): ReplacedBody {
  const before = shape.inspect(message);
  const { facts, text, blob } = encodeMessage(shape, replace(message));
  if (JSON.stringify(facts) === JSON.stringify(before)) return { text, blob };
  const problem = "its replacement is of another kind, or opens or closes other calls";
  throw new SessionError("invalid_message", `a message can't be redacted: ${problem}`, {
    details: { index: 0, problem },
  });
}

/** These texts as they may stand in a blob of JSON: as they are, and inside a JSON text. Pure. */
export function textsInJson(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => [text, insideJson(text)]))];
}

/** A body before and after, and whether its message was redacted before. */
interface Redacting {
  readonly before: string;
  readonly after: ReplacedBody;
  readonly wasRedacted: boolean;
}

/** Whether a message is redacted by it: it loses something, or goes as a whole and wasn't redacted before. Pure. */
export function isRedacted<M, Tx>(
  { replace }: Pick<RedactRequest<M, Tx>, "replace">,
  { before, after, wasRedacted }: Redacting,
): boolean {
  return after.text !== before || (replace === undefined && !wasRedacted);
}

/** The texts of bodies that their replacements don't have. Pure. */
export function ownTexts(pairs: readonly { readonly before: string; readonly after: string }[]): string[] {
  const texts = new Set<string>();
  for (const { before, after } of pairs) {
    const kept = new Set(leavesOf(JSON.parse(after) as JsonValue));
    for (const leaf of leavesOf(JSON.parse(before) as JsonValue)) {
      if (leaf.length >= SHORTEST_TEXT && !kept.has(leaf)) texts.add(leaf);
    }
  }
  return [...texts];
}

function leavesOf(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((item) => leavesOf(item));
}
