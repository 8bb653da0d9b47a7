import { joinSignals, untilAborted, type JsonObject, type JsonValue } from "@basis/core";
import type { HookAnswer, HookRequest } from "@basis/hooks";
import { asObject } from "../bridge/verdict-text.ts";
import type { DialectHook, DialectLevel, Said } from "../bridge/dialect.ts";
import type { ToolView } from "../bridge/tool-alias.ts";
import { failure, type Ending } from "./read-end.ts";

/** What a hook wants a person to be asked. */
export interface PersonQuestion {
  /** The hook's name. */
  readonly hook: string;
  readonly request: HookRequest;
  readonly reason: string | undefined;
}

/** Asks a person; only `true` is a yes. */
export type AskPerson = (
  question: PersonQuestion,
  context: { readonly signal: AbortSignal },
) => boolean | Promise<boolean>;

/** What an answer is about. */
export interface Question {
  readonly hook: DialectHook;
  readonly request: HookRequest;
  readonly view: ToolView;
  /** The input as the hook saw it. */
  readonly shown: JsonValue;
  readonly askPerson: AskPerson | undefined;
  readonly report: (message: string) => void;
  readonly signal: AbortSignal;
  /** Ends what is still asked when the hooks are closed. */
  readonly closing: AbortSignal;
}

/**
 * What a hook's end comes to in our chain. A failure is thrown for the chain to handle (`hardened`), or is what the
 * vendor makes of it (`faithful`), unless its entry says that failing blocks.
 *
 * @throws HookError with the failure's code.
 */
export async function answerOf(
  { decoded, stderr }: Ending,
  level: DialectLevel,
  question: Question,
): Promise<HookAnswer> {
  if (decoded.kind !== "fell") return sayIt(decoded, level, question);
  const { code, message, vendor, hardened } = decoded;
  if (level === "faithful" && question.hook.onFailure !== "deny") return sayIt(vendor, level, question);
  if (hardened !== undefined) return sayIt(hardened, level, question);
  if (vendor.kind === "deny") return { decision: "deny", reason: vendor.reason };
  throw failure(code, message, stderr === "" ? message : `${message} and said: ${stderr}`);
}

function sayIt(said: Said, level: DialectLevel, question: Question): HookAnswer | Promise<HookAnswer> {
  switch (said.kind) {
    case "allow":
    case "deny":
      return { decision: said.kind, reason: said.reason };
    case "ask":
      return askPerson(said, level, question);
    case "modify":
      return modify(said.input, { ...question, merge: isMerged(said.merge, level), reason: said.reason });
    case "replace":
      return { decision: "replace", output: said.output, reason: said.reason };
    default:
      return beside(said, question);
  }
}

function isMerged(merge: boolean | "hardened", level: DialectLevel): boolean {
  return merge === "hardened" ? level === "hardened" : merge;
}

async function askPerson(
  said: Extract<Said, { kind: "ask" }>,
  level: DialectLevel,
  question: Question,
): Promise<HookAnswer> {
  const { reason, input, merge = false } = said;
  const isYes = await askedYes(reason, question);
  if (!isYes) {
    const who = question.askPerson === undefined ? "nobody can be asked here" : "nobody said yes";
    return {
      decision: "deny",
      reason: `it wants a person to be asked, and ${who}${reason ? `: ${reason}` : ""}`,
    };
  }
  if (input === undefined) return { decision: "allow", reason };
  return modify(input, { ...question, merge: isMerged(merge, level), reason });
}

/** Whoever does not answer keeps nobody waiting once the turn is over, or the hooks are closed. */
async function askedYes(reason: string | undefined, question: Question): Promise<boolean> {
  const { hook, request, askPerson: ask } = question;
  if (ask === undefined) return false;
  const { signal, release } = joinSignals(question.signal, question.closing);
  try {
    const about = { hook: hook.name, request, reason };
    return (await untilAborted<unknown>(signal, () => ask(about, { signal }))) === true;
  } finally {
    release();
  }
}

function modify(
  input: JsonObject,
  {
    view,
    request,
    shown,
    merge,
    reason,
  }: Question & { readonly merge: boolean; readonly reason: string | undefined },
): HookAnswer {
  const whole = merge ? { ...asObject(shown), ...input } : input;
  return { decision: "modify", input: view.restore(whole, request.input), reason };
}

/** Text beside a text; a structured result has no place for it, so an objection takes its place. */
function beside(
  { text, blocks }: Extract<Said, { kind: "feedback" }>,
  { hook, request, report }: Question,
): HookAnswer {
  const output = request.event === "post_tool_use" ? request.output : undefined;
  if (typeof output === "string")
    return { decision: "replace", output: `${output}\n\n${text}`, reason: text };
  if (blocks) return { decision: "deny", reason: text };
  report(
    `hook '${hook.name}' has words for the model that the result of ${request.toolName} has no place for`,
  );
  return { decision: "allow", reason: text };
}
