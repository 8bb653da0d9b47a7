import type { HookParticipant, ParticipantRank } from "../participant.ts";
import type { Reporter } from "../hook-report.ts";
import { observe } from "../thrown.ts";
import { childEnvironment } from "../process/child-environment.ts";
import { noSuchProgram } from "./hook-failure.ts";
import { hookParticipant, type CommandHost } from "./hook-participant.ts";
import type { HookSettings } from "./hook-spec.ts";
import { HookWorker } from "./hook-worker.ts";
import { resolveProgram } from "../process/resolve-program.ts";
import { startWorkerProcess, type StartWorker } from "./worker-process.ts";

/** Tells a program how it was started: `worker`, or absent for one question. */
const MODE_VARIABLE = "BASIS_HOOK_MODE";

/** A workspace's worker hooks. Entries of one rank with the same command and variables share one process. */
export class WorkerHooks {
  readonly #host: CommandHost;
  readonly #report: Reporter;
  readonly #workers = new Map<string, HookWorker>();

  constructor(host: CommandHost, report: Reporter) {
    this.#host = host;
    this.#report = report;
  }

  /** The participant of an entry; its program is started when it is first asked. */
  hook(settings: HookSettings, rank: ParticipantRank): HookParticipant {
    const worker = this.#workerOf(settings, rank);
    const { timeoutMs } = settings;
    return hookParticipant(settings, rank, {
      host: this.#host,
      ask: (text, signal) => worker.ask({ text, timeoutMs, signal }),
    });
  }

  /** Kills every worker; the host was told when each has ended. */
  close(): void {
    for (const worker of this.#workers.values()) worker.close();
  }

  #workerOf(settings: HookSettings, rank: ParticipantRank): HookWorker {
    const key = JSON.stringify([rank, settings.command, settings.env]);
    let worker = this.#workers.get(key);
    if (worker === undefined) {
      const who = `hook '${settings.name}'`;
      worker = new HookWorker({
        start: this.#starterOf(settings),
        clock: this.#host.clock,
        onUnasked: ({ details }) => this.#warn(who, details.said),
      });
      this.#workers.set(key, worker);
    }
    return worker;
  }

  /** A reporter that throws changes nothing. */
  #warn(who: string, said: string): void {
    observe(
      () => this.#report(`${who} ${said}`, { kind: "warning", who }),
      () => undefined,
    );
  }

  #starterOf(settings: HookSettings): StartWorker {
    const { workspace, clock, runner, env: variables } = this.#host;
    const [name = "", ...args] = settings.command;
    const granted = childEnvironment(variables, { workspace, granted: settings.env });
    // A pipe of Node is a socket, on which `bash -c` takes itself for a remote shell and runs the user's start-up
    // file, unless it finds itself below another shell.
    const env = Object.freeze({ SHLVL: "1", ...granted, [MODE_VARIABLE]: "worker" });
    return (listener) => {
      const program = resolveProgram(name, { workspace, env });
      if (program === undefined) throw noSuchProgram(name);
      const process = startWorkerProcess(
        { program, args, cwd: workspace, env, clock },
        listener,
        runner.startPiped,
      );
      this.#host.track(process.ended);
      return process;
    };
  }
}
