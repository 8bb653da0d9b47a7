import type { SessionState } from "@mobkit/session";
import * as columns from "@mobkit/session/rules";
import type { SqlRow } from "./sql.ts";

/** How this store's columns keep a record's values: as they are. */
export const plainForm: columns.ColumnForm<string> = Object.freeze({
  text: (text: string) => text,
  readText: (value: unknown) => value as string,
  name: (name: string) => name,
  readName: (value: unknown) => value as string,
  state: (state: SessionState) => state,
  readState: (value: unknown) => value as SessionState,
});

/** A column's text. */
export function textOf(row: SqlRow, column: string): string {
  return columns.textOf(row, column, plainForm);
}

/** A column's text, or null. */
export function optionalText(row: SqlRow, column: string): string | null {
  return columns.optionalText(row, column, plainForm);
}

/** A text's UTF-16 units as bytes that sort as the text does. */
export function sortableBytes(text: string): Uint8Array {
  return Buffer.from(text, "utf16le").swap16();
}
