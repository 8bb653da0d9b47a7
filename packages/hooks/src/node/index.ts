export type { Environment } from "../process/child-environment.ts";
export { globalDirectoryOf } from "./global-directory.ts";
export type { HookSpec } from "./hook-spec.ts";
export { openHooks, type OpenHooksOptions } from "./open-hooks.ts";
export type { HeldHooks, OpenedHooks, ReloadOutcome } from "./reloadable-hooks.ts";
export type { TrustCandidate, TrustMode } from "./workspace-trust.ts";
export { readRegularFile, type ReadOptions, type RegularFile } from "./regular-file.ts";
