import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { ruleText } from "../approval-request.ts";
import type { RuleSubject } from "../opened-call.ts";

/** A command as a call has it: words for one program, or text for a shell. */
export type CommandLine = ({ readonly argv: readonly string[] } | { readonly shell: string }) & {
  /** The directory it is started in. */
  readonly cwd?: string | undefined;
  /** Where it runs. Absent: `local`. */
  readonly target?: string | undefined;
};

/**
 * The command of a call: `{argv, cwd?}`, `{command, cwd?}` with shell text, or the spawn tool's
 * `{body, cwd, mode: "command", target}`. Undefined for anything else, also when there is a field more.
 */
export function commandLineOf(call: RuleSubject): CommandLine | undefined {
  const subject = ruleText(call);
  if (!isJsonObject(subject)) return undefined;
  const { argv, command, cwd = call.cwd } = subject;
  if (cwd !== undefined && typeof cwd !== "string") return undefined;
  if (isArgv(argv)) return hasOnly(subject, ["argv", "cwd"]) ? { argv, cwd } : undefined;
  if (typeof command === "string")
    return hasOnly(subject, ["command", "cwd"]) ? { shell: command, cwd } : undefined;
  return spawnedCommand(subject, cwd);
}

function spawnedCommand(subject: JsonObject, cwd: string | undefined): CommandLine | undefined {
  const { body, mode, target } = subject;
  if (mode !== "command" || typeof body !== "string" || typeof target !== "string") return undefined;
  return hasOnly(subject, ["body", "cwd", "mode", "target"]) ? { shell: body, cwd, target } : undefined;
}

function isArgv(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
}

function hasOnly(subject: object, names: readonly string[]): boolean {
  return Object.keys(subject).every((name) => names.includes(name));
}
