import type { OpenDialectsOptions } from "../../src/node/index.ts";
import type { Fixture } from "./fixture.ts";
import type { HookOutcome, JsonInput } from "./types.ts";

export const ALLOWED = { decision: "allow" } as const;
export const DENIED = { decision: "deny" } as const;

/** The name of the hook that most tests have. */
export const FIRST = "claude PreToolUse 1.1";

export function denied(reason: string, hook: string = FIRST) {
  return { decision: "deny", reason: `denied by hook '${hook}'${reason === "" ? "" : `: ${reason}`}` };
}

export function failed(failure: string, hook: string = FIRST) {
  return { decision: "deny", reason: `hook '${hook}' could not answer and denies on failure: ${failure}` };
}

/** What one call comes to at either level. */
export async function askBoth(
  fixture: Fixture,
  [toolName, input]: readonly [toolName: string, input: JsonInput],
  options: Partial<OpenDialectsOptions> = {},
): Promise<{ hardened: HookOutcome; faithful: HookOutcome }> {
  const hardened = await fixture.ask(toolName, input, options);
  return { hardened, faithful: await fixture.ask(toolName, input, { ...options, level: "faithful" }) };
}
