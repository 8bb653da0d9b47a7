import { onAbort } from "@basis/core";
import {
  afterPending,
  type CommandEnd,
  type CommandProcess,
  type CommandRequest,
  type StartCommand,
} from "./command.ts";
import { longestMsBetween, readUptime } from "./uptime.ts";

/** How a command came to its end, or was brought to it. Only `exited` has an answer to read. */
export type CommandOutcome =
  | CommandEnd
  | { readonly kind: "timed_out" | "aborted" }
  /** It ended by itself, and not in time as far as is known. */
  | { readonly kind: "late"; readonly seenMs: number };

type CutOff = "timed_out" | "aborted" | "output_too_large";

/**
 * Runs one program in a process group of its own and answers when it has exited, not when its pipes close.
 * At the deadline, on abort and when it prints too much the whole group is killed (TERM, after 500 ms KILL); what a
 * program leaves behind when it exits is killed as well. Never rejects.
 *
 * Where something held the thread past the deadline, the exit may have come on either side of it: it counts as in time
 * only when whoever saw it says when that was.
 */
export function runCommand(request: CommandRequest, start: StartCommand): Promise<CommandOutcome> {
  if (request.signal.aborted) return Promise.resolve({ kind: "aborted" });
  return new Promise((resolve) => new RunningCommand(request, resolve).start(start));
}

class RunningCommand {
  readonly #request: CommandRequest;
  readonly #resolve: (outcome: CommandOutcome) => void;
  readonly #undo: (() => void)[] = [];
  #process: CommandProcess | undefined;
  #hasExited = false;
  #cutOff: CutOff | undefined;
  #lateMs: number | undefined;
  readonly #startedMs: number;
  readonly #startedUptimeS: number | undefined;

  constructor(request: CommandRequest, resolve: (outcome: CommandOutcome) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#startedMs = request.clock.monotonicMs();
    this.#startedUptimeS = readUptime();
  }

  start(start: StartCommand): void {
    const { clock, signal, timeoutMs } = this.#request;
    this.#undo.push(clock.alarm(timeoutMs, () => afterPending(() => this.#cut("timed_out"))));
    this.#undo.push(onAbort(signal, () => this.#cut("aborted")));
    try {
      this.#process = start(this.#request, {
        onOverflow: () => this.#cut("output_too_large"),
        onExit: (uptimeS) => this.#onExit(uptimeS),
        onEnd: (end) => this.#settle(this.#outcomeOf(end)),
      });
    } catch (error) {
      this.#settle({ kind: "not_started", error: error as Error });
    }
  }

  #onExit(uptimeS: number | undefined): void {
    this.#hasExited = true;
    const { clock, timeoutMs } = this.#request;
    const seenMs = clock.monotonicMs() - this.#startedMs;
    if (seenMs <= timeoutMs || longestMsBetween(this.#startedUptimeS, uptimeS) <= timeoutMs) return;
    this.#lateMs = seenMs;
  }

  #outcomeOf(end: CommandEnd): CommandOutcome {
    if (this.#cutOff !== undefined) return { kind: this.#cutOff };
    return this.#lateMs === undefined ? end : { kind: "late", seenMs: this.#lateMs };
  }

  /** Asks the group to end, and makes it. The answer comes with the leader's exit. */
  #cut(why: CutOff): void {
    if (this.#cutOff !== undefined || this.#process === undefined) return;
    if (this.#hasExited && why === "timed_out") return;
    this.#cutOff = why;
    // A process that the kernel cannot end must not hold up the call.
    this.#undo.push(this.#process.terminate(() => this.#settle({ kind: why })));
  }

  #settle(outcome: CommandOutcome): void {
    for (const step of this.#undo.splice(0)) step();
    this.#process?.release();
    this.#process = undefined;
    this.#resolve(outcome);
  }
}
