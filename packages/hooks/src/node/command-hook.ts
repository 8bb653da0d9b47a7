import type { Clock } from "@basis/core";
import type { HookAnswer } from "../hook-decision.ts";
import { HookError, type FailureCode } from "../hook-error.ts";
import type { HookRequest } from "../hook-request.ts";
import type { AskContext, HookParticipant, ParticipantRank } from "../participant.ts";
import { decodeAnswer, encodeRequest, MAX_ANSWER_BYTES } from "../wire.ts";
import { childEnvironment } from "./child-environment.ts";
import { quoteStart } from "./command-output.ts";
import type { Environment } from "./global-directory.ts";
import type { HookSettings } from "./hook-spec.ts";
import { resolveProgram } from "./resolve-program.ts";
import { runCommand, type CommandEnd } from "./run-command.ts";

const QUOTED_STDOUT_BYTES = 512;

/** Where a workspace's hooks run. */
export interface CommandHost {
  /** The working directory, a real path. */
  readonly workspace: string;
  /** The host's own variables, of which a program gets the baseline and what it was granted. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly maxRequestBytes: number;
  /** Told of every process until it has ended, so that closing can wait for it. */
  track(running: Promise<unknown>): void;
}

/** A hook whose every question starts its program once; the answer is what it prints. */
export function commandHook(
  settings: HookSettings,
  rank: ParticipantRank,
  host: CommandHost,
): HookParticipant {
  const env = childEnvironment(host.env, { workspace: host.workspace, granted: settings.env });
  return {
    kind: "hook",
    name: settings.name,
    rank,
    events: [settings.event],
    tools: settings.tools,
    input: settings.input,
    onFailure: settings.onFailure,
    shadow: settings.shadow,
    intercept: (request: HookRequest, context: AskContext): Promise<HookAnswer> => {
      const answer = ask(settings, { request, signal: context.signal, env, host });
      host.track(answer.catch(() => undefined));
      return answer;
    },
  };
}

interface CommandQuestion {
  readonly request: HookRequest;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string>>;
  readonly host: CommandHost;
}

async function ask(settings: HookSettings, question: CommandQuestion): Promise<HookAnswer> {
  const { request, signal, env, host } = question;
  const { workspace, clock } = host;
  const stdin = encodeRequest(request);
  if (Buffer.byteLength(stdin) > host.maxRequestBytes) {
    throw failure(
      "request_too_large",
      `cannot be asked: the request is larger than ${host.maxRequestBytes} bytes`,
    );
  }
  const [name = "", ...args] = settings.command;
  const program = resolveProgram(name, { workspace, env });
  if (program === undefined) {
    const message = "could not be started: there is no such program";
    throw failure("not_started", message, `${message}: ${name}`);
  }
  const { timeoutMs } = settings;
  const end = await runCommand({ program, args, cwd: workspace, env, stdin, timeoutMs, signal, clock });
  return readAnswer(end, timeoutMs);
}

/** The order of checks: timeout, exit, size, silence, parse. */
function readAnswer(end: CommandEnd, timeoutMs: number): HookAnswer {
  switch (end.kind) {
    case "not_started": {
      const message = "could not be started";
      throw failure("not_started", message, `${message}: ${end.error.message}`);
    }
    case "timed_out":
      throw failure("timed_out", `did not answer within ${timeoutMs}ms and was killed`);
    case "aborted":
      throw failure("aborted", "was cut off and killed because the turn was aborted");
    case "output_too_large":
      throw failure("output_too_large", `printed more than the ${MAX_ANSWER_BYTES} bytes an answer may have`);
    default:
      return readPrinted(end);
  }
}

function readPrinted(end: Extract<CommandEnd, { kind: "exited" }>): HookAnswer {
  const said = end.stderr === "" ? "" : ` and said: ${end.stderr}`;
  if (end.exitCode !== 0) {
    const message = end.exitCode === null ? "exited with a signal" : `exited with code ${end.exitCode}`;
    throw failure("exited", message, message + said);
  }
  const { text, exact } = end.stdout;
  if (text.trim() === "") {
    const message = "printed nothing; silence is not consent";
    throw failure("silent", message, message + said);
  }
  const decoded = decodeAnswer(text);
  // An input or output with characters put in place of its bytes is not the one that the program meant.
  if (decoded.ok && (exact || decoded.answer.decision === "deny")) return decoded.answer;
  const problem = decoded.ok ? "it is not UTF-8 text" : decoded.problem;
  const message = `printed something that is not a decision (${problem})`;
  throw failure("invalid_answer", message, `${message}: ${quoteStart(text, QUOTED_STDOUT_BYTES)}`);
}

function failure(code: FailureCode, message: string, said: string = message): HookError<FailureCode> {
  return new HookError(code, message, { details: { said } });
}
