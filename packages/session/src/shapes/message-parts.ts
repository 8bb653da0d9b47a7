import { isJsonObject, type JsonObject } from "@basis/core";
import type { MessageMarks } from "./message-marks.ts";

/** A content part or block of any provider: only its type is sure. */
export type Part = JsonObject & { readonly type: string };

/** The value as an object whose fields may be looked at; undefined for a list, a text or nothing. */
export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The path of a list's item. */
export function itemPath(path: string, index: number): string {
  return path === "" ? String(index) : `${path}/${index}`;
}

/** Calls `read` with each object of a list; what is none is a problem. A list that is absent or null has no items. */
export function eachObject(
  list: { readonly value: unknown; readonly path: string },
  marks: MessageMarks,
  read: (item: JsonObject, path: string) => void,
): void {
  if (list.value === undefined || list.value === null) return;
  if (!Array.isArray(list.value)) return marks.refuse(list.path, "is no list");
  for (const [index, value] of list.value.entries()) {
    const path = itemPath(list.path, index);
    const item = asObject(value);
    if (item === undefined) marks.refuse(path, "is no object");
    else read(item, path);
  }
}

/** Calls `read` with each part of a content; a text has none. What is neither text nor list of typed parts is a problem. */
export function eachPart(
  content: { readonly value: unknown; readonly path: string },
  marks: MessageMarks,
  read: (part: Part, path: string) => void,
): void {
  if (typeof content.value === "string") return;
  if (!Array.isArray(content.value)) {
    return marks.refuse(content.path, "is neither a text nor a list of parts");
  }
  eachObject(content, marks, (item, path) => {
    if (typeof item["type"] === "string") read(item as Part, path);
    else marks.refuse(path, "type is missing");
  });
}
