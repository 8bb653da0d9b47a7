import { BasisError, isBasisError, type JsonObject } from "@basis/core";

/** The facts of each failure, by code. Paths are absolute. */
export type SqliteStoreErrorDetails = {
  driver_missing: { package: string; version: string; node: string };
  not_a_store: { path: string; reason: string };
  read_only_media: { path: string; reason: string };
  store_older: { path: string; found: number; supported: number };
  already_open: { path: string };
  handle_mismatch: { path: string; found: string };
  network_file_system: { path: string; fileSystem: string };
  in_use: { path: string; pid: number; openedAt: number };
  foreign_host: { path: string; host: string; openedAt: number };
  insecure_path: { path: string; mode: string };
  wal_unavailable: { path: string; journalMode: string };
  migration_failed: { path: string; name: string; version: number };
  invalid_extension: { name: string; reason: string };
  backup_failed: { path: string; reason: string };
  invalid_sql: { path: string; reason: string };
};

/** What can be wrong with a file, its place or its driver; the README's table says what to do about each. */
export type SqliteStoreErrorCode = keyof SqliteStoreErrorDetails;

/** What a store error is made from, beside its code and message. */
export interface SqliteStoreErrorOptions<Code extends SqliteStoreErrorCode> {
  readonly details: SqliteStoreErrorDetails[Code];
  readonly cause?: unknown;
}

/**
 * The file, its place or its driver can't serve as a store. Whatever every store can refuse with (a stale lease, a
 * newer schema, another shape, a locked or damaged file) is a `SessionError` of @mobkit/session instead.
 */
export class SqliteStoreError<Code extends SqliteStoreErrorCode = SqliteStoreErrorCode> extends BasisError<
  Code,
  SqliteStoreErrorDetails[Code] & JsonObject
> {
  constructor(code: Code, message: string, options: SqliteStoreErrorOptions<Code>) {
    super(code, message, options);
    Object.freeze(this.details);
  }
}

/** A SqliteStoreError whose `code` tells its `details` apart. */
export type AnySqliteStoreError = {
  [Code in SqliteStoreErrorCode]: SqliteStoreError<Code>;
}[SqliteStoreErrorCode];

/** True for a SqliteStoreError of any installed copy; with `code`, for that one failure. */
export function isSqliteStoreError<Code extends SqliteStoreErrorCode>(
  value: unknown,
  code: Code,
): value is SqliteStoreError<Code>;
export function isSqliteStoreError(value: unknown): value is AnySqliteStoreError;
export function isSqliteStoreError(value: unknown, code?: SqliteStoreErrorCode): boolean {
  return isBasisError(value, "SqliteStoreError") && (code === undefined || value.code === code);
}
