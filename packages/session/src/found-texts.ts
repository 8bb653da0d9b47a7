import type { CallOptions } from "./page.ts";
import { invalidRequest } from "./request-checks.ts";

/** A message that has a text. */
export interface FoundMessage {
  /** The session that wrote it. */
  readonly sessionId: string;
  readonly messageId: string;
  /** One for a message and its copies in rebased sessions. A message that came with a bundle has one of its own, whatever its id. */
  readonly origin: string;
  /** Whether a blob beside its body has one. */
  readonly isAttached: boolean;
}

/** How texts are looked for. */
export interface FindTextsOptions<M> extends CallOptions {
  /** Asked of each message that has one; what it answers false for is not told. Its format's own words are part of a body too. */
  readonly counts?: ((message: M, found: FoundMessage) => boolean) | undefined;
}

/** Where texts stand in a store. */
export interface FoundTexts {
  /** Messages whose body or blob has one, also those that no transcript holds any more; by the session that wrote them. */
  readonly messages: readonly FoundMessage[];
  /** How many rows of every other table have one, the namespaces' tables too; tables without any are left out. */
  readonly tables: Readonly<Record<string, number>>;
}

/** These texts as they may stand in a column: as they are, in JSON, and in JSON inside JSON. Pure. @throws SessionError `invalid_request`. */
export function textForms(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap(formsOf))];
}

function formsOf(text: string): readonly string[] {
  if (typeof text !== "string" || text === "")
    throw invalidRequest("texts", "must be texts that are not empty");
  const inJson = insideJson(text);
  return [text, inJson, insideJson(inJson)];
}

/** A text as it stands inside a JSON text. Pure. */
export function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
