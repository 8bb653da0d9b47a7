import type { JsonValue } from "@basis/core";
import type { CallEffect, HookEvent } from "../hook-request.ts";
import type { HookSettings } from "../node/hook-spec.ts";
import { inputFilter, matchesTool } from "../participant-filter.ts";

/** What a hook's filters look at. */
export interface FilteredCall {
  readonly event: HookEvent;
  readonly toolName: string;
  readonly effect?: CallEffect | undefined;
  readonly input: JsonValue;
}

/** Why a hook's filters leave a call out, in words; undefined when they let it through. */
export function whyLeftOut(settings: HookSettings, call: FilteredCall): string | undefined {
  const { event, tools, effect, input } = settings;
  if (event !== call.event) return `it is for ${event}`;
  if (tools?.length === 0) return "its 'tools' is empty, so that it is never asked";
  if (!matchesTool(tools, call.toolName)) return `its 'tools' are ${quoted(tools ?? [])}`;
  if (effect !== undefined && call.effect !== undefined && !effect.includes(call.effect)) {
    return `its 'effect' is ${quoted(effect)}, and the call's is '${call.effect}'`;
  }
  for (const [pointer, glob] of Object.entries(input ?? {})) {
    if (!inputFilter({ [pointer]: glob })(call.input))
      return `its 'input' asks for ${pointer} like '${glob}'`;
  }
  return undefined;
}

/** `'a', 'b'`. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(", ");
}
