import type { JsonValue } from "@basis/core";
import type { HookChain } from "../hook-chain.ts";
import { HookError } from "../hook-error.ts";
import type { CallEffect, HookContext } from "../hook-request.ts";

/** The part of a chain that a guarded tool asks. */
export type ToolGuards = Pick<HookChain, "beforeCall" | "afterCall"> & Partial<Pick<HookChain, "trail">>;

/** What the guards are told of every call, whatever framework it comes from. */
export interface GuardOptions extends Omit<HookContext, "effect"> {
  readonly agentId: string;
  /** What a call does, as `effectOf` of a `HookCall`. */
  readonly effectOf?: ((toolName: string, input: JsonValue) => CallEffect | undefined) | undefined;
}

/** Marks a guarded copy of a tool: whoever asks for approvals inside of it would ask about an input that guards may still rewrite. */
export const GUARDED: unique symbol = Symbol.for("basis.guarded-tool");

/** Marks a question about an input that guards rewrote: no person can be shown it, so whoever asks for approvals leaves none open. */
export const UNSHOWN: unique symbol = Symbol.for("basis.unshown-call");

/** What helps against a tool that no guard can stand around. */
const TAKE_OUT = "take it out, or name it in `outside` if it may run unguarded";

/** The error about a tool that could run past the guards; `reason` reads after its name. */
export function unguarded(tool: string, reason: string, help: string = TAKE_OUT): HookError {
  const words = help === "" ? reason : `${reason}; ${help}`;
  return new HookError("unguarded_tool", `the tool '${tool}' ${words}`, { details: { tool, reason } });
}
