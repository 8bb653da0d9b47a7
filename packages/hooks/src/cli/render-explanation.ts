import { visibleText, type JsonValue } from "@basis/core";
import type { CallQuestion } from "./call-question.ts";
import type { Explanation } from "./explanation.ts";
import type { ListedHook } from "./hook-listing.ts";
import type { JsonChange } from "./json-changes.ts";
import { counted, duration, inset, insetSaid, shortDigest, wrap, type Paint } from "./layout.ts";
import type { LeftOut, SeatedAnswer } from "./seats.ts";

const MOST_CHANGES = 20;
const VALUE_CHARS = 400;
const TEXT_INDENT = 5;

/** An explanation in lines of at most 80 columns where words allow it; everything from outside is made visible. */
export function renderExplanation(explanation: Explanation, paint: Paint): string {
  const { question, outcome, ms, asked, notAsked, changes } = explanation;
  const sections = [
    renderQuestion(question, paint),
    asked.length === 0
      ? "nobody was asked"
      : [
          paint.strong("asked, in this order"),
          ...asked.flatMap((answer) => renderAnswer(answer, paint)),
        ].join("\n"),
    notAsked.length > 0 && renderLeftOut(notAsked, paint),
    `${paint.strong("outcome")}  ${paintDecision(outcome.decision, paint)}, in ${duration(ms)}`,
    changes.length > 0 && renderChanges(changes, paint),
    renderModelReads(explanation, paint),
  ];
  return sections.filter((section) => section !== false).join("\n\n");
}

/** The call that a chain is asked about. */
export function renderQuestion({ event, call, input, result }: CallQuestion, paint: Paint): string {
  const head = `${paint.strong(visibleText(call.toolName))} ${shown(input)}`;
  const facts = `${event}, agent ${visibleText(call.agentId)}, call ${visibleText(call.toolCallId)}`;
  if (result === undefined) return `${wrap(head, 2)}\n  ${facts}`;
  const kind = result.isError ? "an error" : "a result";
  return `${wrap(head, 2)}\n  ${facts}\n${inset(`${kind}: ${shown(result.output)}`, 2)}`;
}

/** Those who are not asked, each with the reason. */
export function renderLeftOut(leftOut: readonly LeftOut[], paint: Paint): string {
  const lines = leftOut.map(
    ({ position, hook, because }) =>
      `${place(position)}${visibleText(title(hook))}\n${inset(visibleText(because), TEXT_INDENT)}`,
  );
  return [paint.strong("not asked"), ...lines].join("\n");
}

/** `hook 'NAME' (global)`. */
export function title({ rank, settings }: ListedHook): string {
  return `hook '${settings.name}' (${rank})`;
}

function place(position: number): string {
  return `${String(position).padStart(3)}  `;
}

function renderAnswer({ position, hook, entry }: SeatedAnswer, paint: Paint): readonly string[] {
  const { mode, shadow, decision, reason, failure, digestBefore, digestAfter, ms } = entry;
  const how = [mode === "recheck" && "asked again on the final input", shadow && "in shadow: not enforced"];
  const note = (text: string): string => inset(visibleText(text.trim()), TEXT_INDENT);
  const notes = [
    ...how.map((text) => text !== false && note(text)),
    reason !== undefined && note(reason),
    failure !== undefined &&
      insetSaid(`${failure.detail.trim()}; on failure: ${hook.settings.onFailure}`, TEXT_INDENT),
    digestBefore !== undefined &&
      digestAfter !== undefined &&
      note(`${shortDigest(digestBefore)} became ${shortDigest(digestAfter)}`),
  ];
  return [
    `${place(position)}${visibleText(title(hook))}  ${paintDecision(decision, paint)}  ${paint.faint(duration(ms))}`,
    ...notes.filter((line) => typeof line === "string"),
  ];
}

function renderChanges(changes: readonly JsonChange[], paint: Paint): string {
  const lines = changes
    .slice(0, MOST_CHANGES)
    .map(({ pointer, before, after }) =>
      inset(`${visibleText(pointer === "" ? "(all of it)" : pointer)}: ${becomes(before, after)}`, 2),
    );
  const rest = changes.length - lines.length;
  return [
    paint.strong("changed"),
    ...lines,
    ...(rest > 0 ? [`  and ${counted(rest, "more place")}: see --json`] : []),
  ].join("\n");
}

function becomes(before: JsonValue | undefined, after: JsonValue | undefined): string {
  if (before === undefined) return `${shown(after!)} was added`;
  return after === undefined ? `${shown(before)} was removed` : `${shown(before)} became ${shown(after)}`;
}

function renderModelReads({ modelReads, outcome, question }: Explanation, paint: Paint): string {
  const head = paint.strong("the model reads");
  switch (modelReads.kind) {
    case "error":
      return `${head}  an error:\n${inset(visibleText(modelReads.text), 2)}`;
    case "replacement":
      return `${head}  ${modelReads.isError ? "an error:" : "instead:"}\n${inset(shown(modelReads.output), 2)}`;
    default: {
      if (question.event === "post_tool_use") return `${head}  the result as it is`;
      const ran = outcome.decision === "modify" ? "the changed call" : "the call";
      return wrap(`${head}  the result of ${ran}, and nothing of the above`);
    }
  }
}

function paintDecision(decision: string, paint: Paint): string {
  if (decision === "allow") return paint.good(decision);
  return decision === "deny" || decision === "broken" ? paint.bad(decision) : paint.doubtful(decision);
}

function shown(value: JsonValue): string {
  return visibleText(JSON.stringify(value), { maxChars: VALUE_CHARS });
}
