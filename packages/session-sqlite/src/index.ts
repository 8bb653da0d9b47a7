export type { StoreBackup } from "./backup.ts";
export type { DatabaseHandle, HandleStatement } from "./database-handle.ts";
export type {
  DriverFailure,
  DriverOpenOptions,
  PrepareOptions,
  SqliteConnection,
  SqliteDriver,
  SqlRow,
  SqlStatement,
  SqlValue,
} from "./driver.ts";
export type { StoreExtension, StoreExtensionSpec } from "./extension.ts";
export {
  inspectStoreFile,
  type InspectFileOptions,
  type StoreContents,
  type StoreFileReport,
  type StoreOpener,
} from "./inspect-file.ts";
export { loadDriver } from "./load-driver.ts";
export type { LogLimits } from "./log-watch.ts";
export { openStoreFiles, type OpenStoreFile } from "./open-files.ts";
export {
  openSqliteStore,
  type FencedTransaction,
  type SqliteStore,
  type SqliteStoreOptions,
} from "./open-store.ts";
export {
  isSqliteStoreError,
  SqliteStoreError,
  type AnySqliteStoreError,
  type SqliteStoreErrorCode,
  type SqliteStoreErrorDetails,
  type SqliteStoreErrorOptions,
} from "./store-error.ts";
export type { FileIdentity } from "./store-file.ts";
export type { SqliteTransaction, StoreSql } from "./store-sql.ts";
