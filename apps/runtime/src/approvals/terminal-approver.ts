import { visibleText, type ApprovalSubject, type Approver, type ApproverAnswer } from "@basis/approval";
import { canonicalJson, isJsonObject, type JsonValue } from "@basis/core";
import { secrets } from "../secrets/secrets.ts";
import { askLine, type Terminal } from "./ask-line.ts";
import { rememberedCall } from "./remembered-call.ts";

/**
 * Asks the person at the terminal, one call at a time. What was typed before the question is thrown away. A call that
 * starts a process or reaches outside takes the whole word `yes`; anything else than yes is no. `session` shows the
 * narrowest rule that covers the call and what else it would allow, and keeps it after a second yes; `never` keeps a
 * refusal.
 */
export function terminalApprover(terminal: Terminal): Approver {
  let queue: Promise<unknown> = Promise.resolve();
  return {
    name: "you",
    approve(subject, { signal }): Promise<ApproverAnswer> {
      const answer = queue.then(() => ask(terminal, subject, signal));
      queue = answer.catch(() => undefined);
      return answer;
    },
  };
}

/** Denies every call, since nobody is there to be asked, and says so. */
export const nobodyToAsk: Approver = Object.freeze({
  name: "no terminal",
  approve: (): ApproverAnswer => ({
    decision: "deny",
    reason:
      "nobody can be asked here; run it in a terminal, or start it with --approve always, never or park",
  }),
});

const refused: ApproverAnswer = Object.freeze({
  decision: "deny",
  reason: "the person at the terminal refused",
});

async function ask(
  terminal: Terminal,
  subject: ApprovalSubject,
  signal: AbortSignal,
): Promise<ApproverAnswer> {
  const whole = subject.sideEffectLevel === "process" || subject.sideEffectLevel === "external";
  const word = (await askLine(terminal, question(subject, whole), signal)).toLowerCase();
  if (word === "yes" || (!whole && word === "y")) return { decision: "allow" };
  if (word === "session") return askToRemember(terminal, subject, signal);
  if (word !== "never") return refused;
  return { decision: "deny_for_session", reason: "the person at the terminal refused, for this session" };
}

async function askToRemember(
  terminal: Terminal,
  subject: ApprovalSubject,
  signal: AbortSignal,
): Promise<ApproverAnswer> {
  const { inWords } = await rememberedCall(subject, { scope: "session" });
  const shown = ["", "A rule for this session", ...inWords, "Type yes to keep it and allow the call: "];
  const word = (await askLine(terminal, shown.join("\n"), signal)).toLowerCase();
  return word === "yes" ? { decision: "allow_for_session" } : refused;
}

function question(subject: ApprovalSubject, whole: boolean): string {
  const { toolName, sideEffectLevel, agentId, preview, input, digest } = subject;
  return [
    "",
    `${visibleText(agentId)} asks to use '${visibleText(toolName)}' (${sideEffectLevel})`,
    ...fieldLines(preview ?? input),
    `digest ${digest.slice(0, 23)}…`,
    "session: allow this call again and again in this session; never: refuse it in this session",
    whole ? "Type yes to allow it, anything else to refuse: " : "Allow it? y or yes, anything else refuses: ",
  ].join("\n");
}

/** One line a field, nested values as JSON, without secrets, everything from outside made visible. */
export function fieldLines(given: JsonValue): readonly string[] {
  const value = secrets.redactJson(given);
  if (!isJsonObject(value)) return [`  ${visibleText(canonicalJson(value))}`];
  return Object.entries(value).map(([key, field]) => {
    const text = typeof field === "string" ? field : canonicalJson(field);
    return `  ${visibleText(key)}: ${visibleText(text)}`;
  });
}
