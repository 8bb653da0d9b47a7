import type { SessionState } from "../session-record.ts";
import type { ColumnRow } from "./stored-values.ts";

/**
 * How an engine keeps what it does not take as it is: ids, digests and free texts; names, by which lists are sorted; and
 * the states of sessions. `read…` answers what the other one was given.
 */
export interface ColumnForm<Value> {
  text(text: string): Value;
  readText(value: unknown): string;
  name(name: string): Value;
  readName(value: unknown): string;
  state(state: SessionState): Value;
  readState(value: unknown): SessionState;
}

/** What a column of a record holds in a form. */
export type Cell<Value> = Value | string | number | null;

/** For each column, its value in a record. */
export type Cells<Column extends string, Subject> = {
  readonly [Name in Column]: <Value>(record: Subject, form: ColumnForm<Value>) => Cell<Value>;
};

/** A text that may be missing. */
export function optionalCell<Value>(form: ColumnForm<Value>, text: string | null | undefined): Value | null {
  return text === null || text === undefined ? null : form.text(text);
}

/** A column's text. */
export function textOf(row: ColumnRow, column: string, form: ColumnForm<unknown>): string {
  return form.readText(row[column] ?? null);
}

/** A column's text, or null. */
export function optionalText(row: ColumnRow, column: string, form: ColumnForm<unknown>): string | null {
  const value = row[column] ?? null;
  return value === null ? null : form.readText(value);
}
