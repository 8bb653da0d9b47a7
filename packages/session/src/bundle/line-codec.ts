import {
  canonicalJson,
  isJsonObject,
  parseStrict,
  sha256,
  type JsonObject,
  type TokenUsage,
} from "@basis/core";
import { utf8Bytes } from "../message-body.ts";
import { BundleFlaw } from "./bundle-flaw.ts";
import { bundleFormat, bundleVersion, type BundleLine } from "./bundle-lines.ts";
import * as read from "./line-fields.ts";
import type { FieldReader } from "./line-fields.ts";

/** Most bytes of a line. What may be longer follows its line in chunks. */
export const maxLineBytes = 4_194_304;

const MAX_DEPTH = 4;

type LineType = BundleLine["type"];

type ReadersOf<Line> = { readonly [Field in Exclude<keyof Line, "type">]: FieldReader<Line[Field]> };

/** How each field of each kind of line is read. On the line the names stand in snake_case: all of them, and no other. */
const READERS: { readonly [Type in LineType]: ReadersOf<Extract<BundleLine, { readonly type: Type }>> } = {
  bundle: {
    format: read.oneOf(bundleFormat),
    version: read.upTo(bundleVersion),
    shape: read.name,
    generation: read.count,
    exportedAt: read.count,
  },
  session: {
    id: read.id,
    member: read.optional(read.name),
    role: read.optional(read.name),
    labels: read.labels,
    len: read.count,
    settledLen: read.count,
    digest: read.digest,
    rev: read.count,
    requestHead: read.optional(read.digest),
    ownUsage: read.usage,
    inheritedUsage: read.usage,
    createdAt: read.count,
    updatedAt: read.count,
  },
  ancestor: { id: read.id, len: read.count, digest: read.digest },
  span: { start: read.count, writer: read.id, lo: read.count, hi: read.count },
  blob: { digest: read.digest, bytes: read.count },
  chunk: { base64: read.text },
  message: {
    position: read.count,
    writer: read.id,
    seq: read.count,
    id: read.id,
    turn: read.optional(read.id),
    kind: read.oneOf("system", "user", "assistant", "tool"),
    digest: read.digest,
    openAfter: read.count,
    usageAfter: read.usage,
    rev: read.count,
    createdAt: read.count,
    salt: read.optional(read.salt),
    blob: read.optional(read.digest),
    body: read.optional(read.text),
    blobs: read.list(read.digest),
  },
  mark: { summarises: read.count, keepFrom: read.count, createdAt: read.count },
  cancel: {
    from: read.count,
    to: read.count,
    digest: read.digest,
    reason: read.name,
    rev: read.count,
    createdAt: read.count,
  },
  side_state: {
    kind: read.name,
    onFork: read.oneOf("share", "copy", "reset"),
    position: read.count,
    version: read.count,
    bytes: read.count,
  },
  end: { messages: read.count, blobs: read.count, digest: read.digest },
};

/** One field of a kind of line: its name on the line, its name here. */
interface Field {
  readonly wire: string;
  readonly property: string;
  readonly reader: FieldReader<unknown>;
}

const FIELDS: ReadonlyMap<string, readonly Field[]> = new Map(
  Object.entries(READERS).map(([type, readers]) => [
    type,
    Object.entries(readers).map(([property, reader]) => ({
      wire: property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      property,
      reader: reader as FieldReader<unknown>,
    })),
  ]),
);

/** The line's text: canonical JSON without a line break. @throws BundleFlaw `oversized_line`. */
export function writeLine(line: BundleLine): string {
  const object: Record<string, unknown> = { type: line.type };
  for (const { wire, property, reader } of FIELDS.get(line.type)!) {
    const value: unknown = line[property as keyof BundleLine];
    object[wire] = reader === read.usage ? usageList(value as TokenUsage) : value;
  }
  const text = canonicalJson(object);
  if (utf8Bytes(text) > maxLineBytes) throw oversizedLine();
  return text;
}

/** The object that a line's text is. @throws BundleFlaw `not_json`, `duplicate_key`, `prototype_key`, `oversized_line`, `unexpected_line`. */
export function parseLine(text: string): JsonObject {
  const parsed = parseStrict(text, { maxBytes: maxLineBytes, maxDepth: MAX_DEPTH });
  if (parsed.ok) {
    if (isJsonObject(parsed.value)) return parsed.value;
    throw new BundleFlaw("unexpected_line", "", "is no object");
  }
  const { problem, message } = parsed;
  if (problem === "too_large") throw oversizedLine();
  const told = problem === "duplicate_key" || problem === "prototype_key" ? problem : "not_json";
  throw new BundleFlaw(told, "", message);
}

/** The line that an object is: of a known kind, with all of its fields and no other. @throws BundleFlaw `unexpected_line`, `invalid_field`. */
export function readLine(object: JsonObject): BundleLine {
  const { type } = object;
  const fields = typeof type === "string" ? FIELDS.get(type) : undefined;
  if (fields === undefined) throw new BundleFlaw("unexpected_line", "type", "names no kind of line");
  const line: Record<string, unknown> = { type };
  for (const { wire, property, reader } of fields) {
    const value = object[wire];
    if (value === undefined) throw read.invalidField(wire, "is missing");
    line[property] = reader(value, wire);
  }
  const unknown = Object.keys(object).find(
    (name) => name !== "type" && !fields.some(({ wire }) => wire === name),
  );
  if (unknown !== undefined) throw read.invalidField(unknown, "is unknown");
  return line as unknown as BundleLine;
}

/** The digest over all lines up to one; begins with the empty text. */
export function chainLines(before: string, line: string): string {
  return `sha256:${sha256(`${before}\n${line}`)}`;
}

/** The flaw of a line that is too long, found before anybody reads it. */
export function oversizedLine(): BundleFlaw {
  return new BundleFlaw("oversized_line", "", `is longer than ${maxLineBytes} bytes`);
}

function usageList(usage: TokenUsage): readonly number[] {
  return [usage.inputTokens, usage.outputTokens, usage.cachedInputTokens, usage.reasoningTokens];
}
