export type { AskPerson, PersonQuestion } from "./answer-of.ts";
export {
  inspectDialects,
  revokeDialects,
  trustDialects,
  type DialectTrustOptions,
  type TrustDialectsOptions,
} from "./dialect-trust.ts";
export { openDialects, type OpenDialectsOptions, type OpenedDialects } from "./open-dialects.ts";
export type { SettingsFile } from "./settings-files.ts";
export { importDialects, type DialectImport, type ImportDialectsOptions } from "../import/import-dialects.ts";
