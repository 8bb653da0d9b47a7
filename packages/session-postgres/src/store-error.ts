import { BasisError, isBasisError, type JsonObject } from "@basis/core";

/** The facts of each failure, by code. No detail and no message holds a password. */
export type PostgresStoreErrorDetails = {
  invalid_option: { field: string; reason: string };
  driver_missing: { package: string; version: string };
  server_unreachable: { server: string; reason: string };
  access_denied: { server: string; user: string; reason: string };
  database_missing: { server: string; database: string };
  rights_missing: { server: string; schema: string; reason: string };
  server_unsupported: { server: string; reason: string };
  not_a_store: { server: string; schema: string; reason: string };
  migration_failed: { schema: string; name: string; version: number };
  invalid_extension: { name: string; reason: string };
  invalid_sql: { reason: string };
};

/** What can be wrong with a server, a schema or the way to them; the README's table says what to do about each. */
export type PostgresStoreErrorCode = keyof PostgresStoreErrorDetails;

/** What a store error is made from, beside its code and message. */
export interface PostgresStoreErrorOptions<Code extends PostgresStoreErrorCode> {
  readonly details: PostgresStoreErrorDetails[Code];
  readonly cause?: unknown;
}

/**
 * The server, the schema or the way to them can't serve as a store. Whatever every store can refuse with (a stale
 * lease, a newer schema, another shape, a lost connection) is a `SessionError` of @mobkit/session instead.
 */
export class PostgresStoreError<
  Code extends PostgresStoreErrorCode = PostgresStoreErrorCode,
> extends BasisError<Code, PostgresStoreErrorDetails[Code] & JsonObject> {
  constructor(code: Code, message: string, options: PostgresStoreErrorOptions<Code>) {
    super(code, message, options);
    Object.freeze(this.details);
  }
}

/** A PostgresStoreError whose `code` tells its `details` apart. */
export type AnyPostgresStoreError = {
  [Code in PostgresStoreErrorCode]: PostgresStoreError<Code>;
}[PostgresStoreErrorCode];

/** True for a PostgresStoreError of any installed copy; with `code`, for that one failure. */
export function isPostgresStoreError<Code extends PostgresStoreErrorCode>(
  value: unknown,
  code: Code,
): value is PostgresStoreError<Code>;
export function isPostgresStoreError(value: unknown): value is AnyPostgresStoreError;
export function isPostgresStoreError(value: unknown, code?: PostgresStoreErrorCode): boolean {
  return isBasisError(value, "PostgresStoreError") && (code === undefined || value.code === code);
}
