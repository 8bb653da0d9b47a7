export type { HookOutcome } from "@basis/hooks";
/** What a call is given. */
export type JsonInput = Record<string, unknown>;
