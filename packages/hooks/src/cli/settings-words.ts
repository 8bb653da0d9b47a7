import type { HookSettings } from "../node/hook-spec.ts";
import { quoted } from "./why-left-out.ts";

/** Which calls a hook is asked about. */
export function describeFilter({ event, tools, effect, input }: HookSettings): string {
  const when = event === "pre_tool_use" ? "before" : "after";
  const which = tools === undefined ? "every tool" : tools.length === 0 ? "no tool at all" : quoted(tools);
  const doing =
    effect === undefined ? "" : ` whose effect is ${effect.length === 0 ? "unknown" : quoted(effect)}`;
  const predicates = Object.entries(input ?? {}).map(([pointer, glob]) => `${pointer} is like '${glob}'`);
  return `${when} ${which}${doing}${predicates.length > 0 ? `, if ${predicates.join(" and ")}` : ""}`;
}

/** An argument vector as a shell would take it. */
export function commandLine(command: readonly string[]): string {
  return command.map(shellWord).join(" ");
}

/** A word as it can be pasted into a shell: bare where that is safe, else quoted. */
export function shellWord(word: string): string {
  return /^[\w./@:+,-][\w./@:+,=-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** How a hook is asked, and what follows when it cannot answer. */
export function describeMode({ mode, timeoutMs, onFailure, shadow }: HookSettings): string {
  const enforced = shadow ? ", in shadow: recorded, never enforced" : "";
  return `${mode}, ${timeoutMs} ms, on failure ${onFailure}${enforced}`;
}
