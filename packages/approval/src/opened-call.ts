import { canonicalJson, isJsonObject, type JsonValue } from "@basis/core";
import { ruleText, type ApprovalSubject } from "./approval-request.ts";
import type { CommandJudge, CommandView } from "./command-judge.ts";
import { pathReadings, type PathReadings } from "./path-reading.ts";
import { defaultRuleTools, type RuleTools } from "./rule.ts";

/** What rules look at in a call. */
export type RuleSubject = Pick<
  ApprovalSubject,
  "agentId" | "toolName" | "input" | "preview" | "effect" | "toolIdentity" | "sessionId" | "workspace" | "cwd"
>;

/** When, and with which tools' rules, a call is judged. */
export interface RuleMoment {
  readonly nowMs: number;
  readonly tools?: RuleTools | undefined;
  /** Who reads commands. Absent: command rules never allow and always deny. */
  readonly commands?: CommandJudge | undefined;
}

/** A call on its way past many rules: what they need of it is derived when the first asks, and once. */
export interface OpenedCall {
  readonly call: RuleSubject;
  readonly nowMs: number;
  readonly tools: RuleTools;
  readonly isCommand: boolean;
  /** What patterns match on. */
  readonly subject: JsonValue;
  /** The subject as canonical JSON. */
  text(): string;
  /** Every way in which a text of the subject may be read as a path. */
  readings(value: string): PathReadings;
  /** Undefined when nobody reads commands. */
  command(): CommandView | undefined;
}

/** Opens a call for rules. */
export function openCall(call: RuleSubject, moment: RuleMoment): OpenedCall {
  const { nowMs, tools = defaultRuleTools, commands } = moment;
  const subject = ruleText(call);
  let text: string | undefined;
  let command: CommandView | undefined;
  const readings = new Map<string, PathReadings>();
  return {
    call,
    nowMs,
    tools,
    subject,
    isCommand: isCommand(call, tools),
    text: () => (text ??= canonicalJson(subject)),
    readings(value) {
      const known = readings.get(value) ?? pathReadings(value);
      readings.set(value, known);
      return known;
    },
    command: () => (command ??= commands && viewOrDeny(commands, call)),
  };
}

/** A reader that fails leaves a command that nothing allows and every denial covers. */
function viewOrDeny(commands: CommandJudge, call: RuleSubject): CommandView {
  try {
    return commands.view(call);
  } catch {
    return { problem: "its reader failed", coveredBy: () => undefined, mayMatch: () => true };
  }
}

/** True when the call runs a command: by its tool, its effect or its preview. */
export function isCommand(call: RuleSubject, tools: RuleTools = defaultRuleTools): boolean {
  if (call.effect === "command" || tools.command.includes(call.toolName)) return true;
  return (
    isJsonObject(call.preview) && Object.hasOwn(call.preview, "mode") && call.preview["mode"] === "command"
  );
}
