import { childPointer, isJsonObject, parseStrict, type JsonObject, type JsonValue } from "@basis/core";
import { HookError } from "../hook-error.ts";
import { lineAt, lineOfPointer } from "../node/json-lines.ts";
import { didYouMean } from "../node/nearest-name.ts";
import { readRegularFile } from "../node/regular-file.ts";

/** Most bytes of a document: 16 MiB. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A JSON document that a user wrote, with its text for the line numbers. */
export interface UserDocument {
  /** As errors name it. */
  readonly path: string;
  readonly text: string;
  readonly value: JsonValue;
}

/** Where a text comes from. */
export interface DocumentSource {
  /** An absolute path, or `-` for standard input. */
  readonly path: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly signal: AbortSignal;
}

/**
 * Reads one strict JSON document.
 *
 * @throws HookError `unreadable_file`, or `invalid_file` with the line.
 */
export async function readUserDocument(source: DocumentSource): Promise<UserDocument> {
  const { path, signal } = source;
  const text = path === "-" ? await readStream(source) : await readText(path, signal);
  return parseUserDocument(path === "-" ? "standard input" : path, text);
}

/** The same of a text that was read. @throws HookError `invalid_file`. */
export function parseUserDocument(path: string, text: string): UserDocument {
  const parsed = parseStrict(text, { maxBytes: MAX_BYTES });
  if (parsed.ok) return { path, text, value: parsed.value };
  const line = lineAt(text, parsed.offset);
  throw new HookError("invalid_file", `${path}:${line}: ${parsed.message}`, {
    details: { path, line, pointer: "" },
  });
}

/** What is wrong at a place of a document. */
export function wrongAt(document: UserDocument, pointer: string, message: string): HookError {
  const { path, text } = document;
  const line = lineOfPointer(text, pointer);
  return new HookError("invalid_file", `${path}:${line}: ${message}`, { details: { path, line, pointer } });
}

/** What a member must be, in words that follow "must be". */
export interface MemberRule {
  readonly must: string;
  readonly accepts: (value: JsonValue) => boolean;
  readonly required?: boolean;
}

/** An object inside a document. */
export interface Place {
  readonly pointer: string;
  /** In words, with its article: `a call`. */
  readonly what: string;
}

/**
 * The object at a place, each of whose members keeps its rule and none of which is unknown.
 *
 * @throws HookError `invalid_file`.
 */
export function readObject(
  document: UserDocument,
  place: Place & { readonly value: JsonValue | undefined },
  rules: ReadonlyMap<string, MemberRule>,
): JsonObject {
  const { pointer, what, value } = place;
  if (!isJsonObject(value)) throw wrongAt(document, pointer, `${what} must be an object`);
  for (const [key, member] of Object.entries(value)) {
    const rule = rules.get(key);
    const at = childPointer(pointer, key);
    if (rule === undefined)
      throw wrongAt(document, at, `unknown key '${key}' in ${what}${didYouMean(key, [...rules.keys()])}`);
    if (!rule.accepts(member)) throw wrongAt(document, at, `'${key}' must be ${rule.must}`);
  }
  for (const [key, { required, must }] of rules) {
    if (required === true && !Object.hasOwn(value, key))
      throw wrongAt(document, pointer, `${what} needs '${key}', which must be ${must}`);
  }
  return value;
}

export const anything: MemberRule = { must: "JSON", accepts: () => true };
export const anObject: MemberRule = { must: "an object", accepts: isJsonObject };
export const aText: MemberRule = {
  must: "a text that is not empty",
  accepts: (value) => typeof value === "string" && value !== "",
};
export const aFlag: MemberRule = {
  must: "true or false",
  accepts: (value) => typeof value === "boolean",
};
export const texts: MemberRule = {
  must: "a list of texts",
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};

/** One of a few words. */
export function oneOf(...words: readonly string[]): MemberRule {
  return {
    must: words.map((word) => JSON.stringify(word)).join(" or "),
    accepts: (value) => words.includes(value as string),
  };
}

async function readText(path: string, signal: AbortSignal): Promise<string> {
  const file = await readRegularFile(path, { maxBytes: MAX_BYTES, signal });
  if (file !== undefined) return file.text;
  throw new HookError("unreadable_file", `there is no file ${path}`, { details: { path } });
}

async function readStream({ stdin, signal }: DocumentSource): Promise<string> {
  const path = "standard input";
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    signal.throwIfAborted();
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_BYTES) throw unreadable(path, `it is larger than ${MAX_BYTES} bytes`);
    chunks.push(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw unreadable(path, "it is not UTF-8 text", error);
  }
}

function unreadable(path: string, why: string, cause?: unknown): HookError {
  return new HookError("unreadable_file", `${path} cannot be read: ${why}`, { details: { path }, cause });
}
