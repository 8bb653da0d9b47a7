import type { HookAnswer } from "../hook-decision.ts";
import type { CallEffect, HookEvent, HookRequest } from "../hook-request.ts";
import type { HookParticipant, Interceptor, OnFailure, ParticipantRank } from "../participant.ts";

/** One scripted answer: given as it is, made from the request, or thrown when it is an `Error`. */
export type ScriptedAnswer =
  | HookAnswer
  | Error
  | ((request: HookRequest) => HookAnswer | Promise<HookAnswer>);

/** What a scripted interceptor is beside its answers. */
export interface ScriptedOptions {
  readonly tools?: readonly string[];
  readonly effect?: readonly CallEffect[];
  readonly events?: readonly HookEvent[];
  readonly timeoutMs?: number;
  readonly shadow?: boolean;
}

/** What a scripted hook is beside its answers. */
export interface ScriptedHookOptions extends ScriptedOptions {
  readonly input?: Readonly<Record<string, string>>;
  /** Default `workspace`. */
  readonly rank?: ParticipantRank;
  /** Default `deny`. */
  readonly onFailure?: OnFailure;
}

/** A participant that gives its answers in turn and remembers the requests. */
export type Scripted<Kind extends Interceptor> = Kind & { readonly requests: readonly HookRequest[] };

/** An interceptor with a script; each event it is asked about uses up one answer, and running out is a failure. */
export function scriptedInterceptor(
  name: string,
  answers: readonly ScriptedAnswer[],
  options: ScriptedOptions = {},
): Scripted<Interceptor> {
  const requests: HookRequest[] = [];
  return { ...options, name, requests, intercept: (request) => answerNext(answers, requests, request) };
}

/** The same as a hook, which has a rank and may fail open, without any process. */
export function scriptedHook(
  name: string,
  answers: readonly ScriptedAnswer[],
  options: ScriptedHookOptions = {},
): Scripted<HookParticipant> {
  const { rank = "workspace", ...others } = options;
  return { ...others, ...scriptedInterceptor(name, answers, others), kind: "hook", rank };
}

function answerNext(
  answers: readonly ScriptedAnswer[],
  requests: HookRequest[],
  request: HookRequest,
): HookAnswer | Promise<HookAnswer> {
  const answer = answers[requests.length];
  requests.push(request);
  if (answer === undefined) throw new Error(`the script has no answer ${requests.length}`);
  if (answer instanceof Error) throw answer;
  return typeof answer === "function" ? answer(request) : answer;
}
