export type { BundleOrigin, BundleSummary } from "./bundle-summary.ts";
export { exportSession, type ExportOptions, type ExportSource } from "./export-session.ts";
export { importSession, type ImportReport, type ImportRequest, type ImportTarget } from "./import-session.ts";
export type { BundleText, ReadTerms } from "./read-bundle.ts";
export { splitLines } from "./split-lines.ts";
export { verifyBundle } from "./verify-bundle.ts";
