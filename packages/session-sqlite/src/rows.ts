import type { SessionState } from "@mobkit/session";
import * as columns from "@mobkit/session/rules";
import type { SqlRow, SqlValue } from "./driver.ts";
import { fromSortableBytes, pack, sortableBytes, unpack } from "./packed-text.ts";

/** The states by the number that they are stored as. */
export const stateNames: readonly SessionState[] = [
  "pending",
  "ready",
  "archived",
  "quarantined",
  "tombstone",
];

/** The number by which a state is stored. */
export function stateNumber(state: SessionState): number {
  return stateNames.indexOf(state);
}

/** How this store's columns keep a record's values. */
export const packedForm: columns.ColumnForm<SqlValue> = Object.freeze({
  text: pack,
  readText: (value: unknown) => unpack(value as SqlValue),
  name: sortableBytes,
  readName: (value: unknown) => fromSortableBytes(value as Uint8Array),
  state: stateNumber,
  readState: (value: unknown) => stateNames[Number(value)]!,
});

/** A packed column's text. */
export function textOf(row: SqlRow, column: string): string {
  return columns.textOf(row, column, packedForm);
}

/** A packed column's text, or null. */
export function optionalText(row: SqlRow, column: string): string | null {
  return columns.optionalText(row, column, packedForm);
}

/** The identity of a fork's child that is named as its member is. */
export const namedAsMember = 1;

/** What a row's `agent_identity` stands for, packed; `name` is the member's. */
export function identityOf(row: SqlRow, name: SqlValue): SqlValue {
  const kept = row["agent_identity"] ?? null;
  return kept === namedAsMember ? pack(fromSortableBytes(name as Uint8Array)) : kept;
}
