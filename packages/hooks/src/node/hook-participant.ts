import type { Clock } from "@basis/core";
import type { HookAnswer } from "../hook-decision.ts";
import type { HookRequest } from "../hook-request.ts";
import type { AskContext, HookParticipant, ParticipantRank } from "../participant.ts";
import { encodeRequest } from "../wire.ts";
import type { Environment } from "../process/child-environment.ts";
import type { ProgramRunner } from "../process/program-runner.ts";
import { failure } from "./hook-failure.ts";
import type { HookSettings } from "./hook-spec.ts";

/** Where a workspace's hooks run. */
export interface CommandHost {
  /** The working directory, a real path. */
  readonly workspace: string;
  /** The host's own variables, of which a program gets the baseline and what it was granted. */
  readonly env: Environment;
  readonly clock: Clock;
  /** Starts the programs. */
  readonly runner: ProgramRunner;
  readonly maxRequestBytes: number;
  /** Told of every question and process until it has ended, so that closing can wait for it. */
  track(running: Promise<unknown>): void;
}

/** Asks a hook's program with the text of a request. */
export type AskProgram = (text: string, signal: AbortSignal) => Promise<HookAnswer>;

/** The participant of a hook that is a program, however that is asked. */
export function hookParticipant(
  settings: HookSettings,
  rank: ParticipantRank,
  binding: { readonly host: CommandHost; readonly ask: AskProgram },
): HookParticipant {
  const { host, ask } = binding;
  return {
    kind: "hook",
    name: settings.name,
    rank,
    events: [settings.event],
    tools: settings.tools,
    effect: settings.effect,
    input: settings.input,
    onFailure: settings.onFailure,
    shadow: settings.shadow,
    intercept: (request: HookRequest, context: AskContext): Promise<HookAnswer> => {
      const answer = ask(requestText(request, host.maxRequestBytes), context.signal);
      host.track(answer.catch(() => undefined));
      return answer;
    },
  };
}

/** @throws HookError `request_too_large`. */
function requestText(request: HookRequest, maxBytes: number): string {
  const text = encodeRequest(request);
  if (Buffer.byteLength(text) <= maxBytes) return text;
  throw failure("request_too_large", `cannot be asked: the request is larger than ${maxBytes} bytes`);
}
