/** What the AI SDK's provider types name from `json-schema`, a package that ships no types of its own. */
declare module "json-schema" {
  export interface JSONSchema7 {
    readonly [keyword: string]: unknown;
  }
  export type JSONSchema7Definition = JSONSchema7 | boolean;
}
