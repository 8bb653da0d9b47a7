export type { LiftIssue } from "./codec.ts";
export { dialects, type Dialect, type DialectLimits, type DialectName } from "./dialect.ts";
export { lowerSchema, type LoweredSchema, type LowerOptions } from "./lower-schema.ts";
export type { LimitCount } from "./schema-limits.ts";
