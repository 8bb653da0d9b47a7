export type { DialectHook, DialectLevel, DialectName, Difference, Ended } from "./bridge/dialect.ts";
export { DIALECT_NAMES } from "./bridge/dialects.ts";
export { differencesOf } from "./bridge/dialects.ts";
export { RUNTIME_TOOLS, type ToolAlias, type ToolKind } from "./bridge/tool-alias.ts";
export {
  DialectError,
  type AnyDialectError,
  type DialectErrorCode,
  type DialectErrorDetails,
  type RefusedEntry,
} from "./dialect-error.ts";
export type { LeftOut } from "./settings/entry.ts";
export {
  readDialectSettings,
  type DialectSettings,
  type ReadSettingsOptions,
} from "./settings/read-dialect-settings.ts";
