export type { ConnectionLimits } from "./connect-options.ts";
export type { ExtensionNotice, StoreExtension, StoreExtensionSpec } from "./extension.ts";
export type { FollowRequest, StoreNotice } from "./follow.ts";
export { inspectPostgresStore, type PostgresStoreReport } from "./inspect-store.ts";
export type { PostgresTransaction, StoreSql } from "./lent-sql.ts";
export type { SessionLook, SessionLooks, TakenLease } from "./looks.ts";
export {
  openPostgresStore,
  type FencedTransaction,
  type PostgresStore,
  type PostgresStoreOptions,
} from "./open-store.ts";
export type { SqlRow, SqlValue } from "./sql.ts";
export {
  isPostgresStoreError,
  PostgresStoreError,
  type AnyPostgresStoreError,
  type PostgresStoreErrorCode,
  type PostgresStoreErrorDetails,
  type PostgresStoreErrorOptions,
} from "./store-error.ts";
