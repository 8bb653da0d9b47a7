import type { HookAnswer } from "../hook-decision.ts";
import type { HookParticipant, ParticipantRank } from "../participant.ts";
import { childEnvironment } from "../process/child-environment.ts";
import {
  endedLate,
  endedUnanswered,
  failure,
  invalidAnswer,
  noSuchProgram,
  notStarted,
  outputTooLarge,
  timedOut,
} from "./hook-failure.ts";
import { hookParticipant, type CommandHost } from "./hook-participant.ts";
import type { HookSettings } from "./hook-spec.ts";
import type { CommandEnd } from "../process/command.ts";
import { resolveProgram } from "../process/resolve-program.ts";
import type { CommandOutcome } from "../process/run-command.ts";
import { decodePrinted } from "./printed-answer.ts";

/** A hook whose every question starts its program once; the answer is what it prints. */
export function commandHook(
  settings: HookSettings,
  rank: ParticipantRank,
  host: CommandHost,
): HookParticipant {
  const { workspace, clock } = host;
  const { timeoutMs } = settings;
  const [name = "", ...args] = settings.command;
  const env = childEnvironment(host.env, { workspace, granted: settings.env });
  const ask = async (stdin: string, signal: AbortSignal): Promise<HookAnswer> => {
    const program = resolveProgram(name, { workspace, env });
    if (program === undefined) throw noSuchProgram(name);
    const end = await host.runner.run({
      program,
      args,
      cwd: workspace,
      env,
      stdin,
      timeoutMs,
      signal,
      clock,
    });
    return readAnswer(end, timeoutMs);
  };
  return hookParticipant(settings, rank, { host, ask });
}

/** The order of checks: timeout, exit, size, silence, parse. */
function readAnswer(end: CommandOutcome, timeoutMs: number): HookAnswer {
  switch (end.kind) {
    case "not_started":
      throw notStarted(end.error.message);
    case "timed_out":
      throw timedOut(timeoutMs);
    case "late":
      throw endedLate(timeoutMs, end.seenMs);
    case "aborted":
      throw failure("aborted", "was cut off and killed because the turn was aborted");
    case "output_too_large":
      throw outputTooLarge();
    case "lost":
      throw failure("exited", "was killed because the launcher that had started it ended");
    default:
      return readPrinted(end);
  }
}

function readPrinted(end: Extract<CommandEnd, { kind: "exited" }>): HookAnswer {
  const { text } = end.stdout;
  if (end.exitCode !== 0 || text.trim() === "") throw endedUnanswered(end.exitCode, end.stderr);
  const decoded = decodePrinted(end.stdout);
  if (decoded.ok) return decoded.answer;
  throw invalidAnswer(decoded.problem, text);
}
