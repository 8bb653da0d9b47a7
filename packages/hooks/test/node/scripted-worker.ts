import { setImmediate as turn } from "node:timers/promises";
import { manualClock, type ManualClock } from "@basis/core/testing";
import type { HookAnswer } from "../../src/index.ts";
import { HookWorker } from "../../src/node/hook-worker.ts";
import type { WorkerEnd, WorkerListener, WorkerProcess } from "../../src/node/worker-process.ts";

/** A process that does only what its test says. */
export class ScriptedProcess implements WorkerProcess {
  readonly ended: Promise<void>;
  readonly sent: { readonly id: string; readonly deadline_ms: number; readonly request: unknown }[] = [];
  isKilled = false;
  hasEnded = false;
  readonly #listener: WorkerListener;
  #end: () => void = () => undefined;

  constructor(listener: WorkerListener) {
    this.#listener = listener;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  send(line: string): void {
    this.sent.push(JSON.parse(line));
  }

  kill(): void {
    this.isKilled = true;
    this.#end();
  }

  /** Prints a line, also after it was killed: what a killed process still prints reaches nobody. */
  print(line: string | object): void {
    if (this.isKilled) return;
    this.#listener.onLine(Buffer.from(typeof line === "string" ? line : JSON.stringify(line)));
  }

  hello(): this {
    this.print({ hook_worker: 1 });
    return this;
  }

  /** Answers the question that it was sent as the n-th. */
  answer(index: number, answer: object = { decision: "allow" }): void {
    this.print({ id: this.sent[index]!.id, ...answer });
  }

  overflow(): void {
    this.#listener.onOverflow();
  }

  exit(): void {
    this.#listener.onExit();
  }

  end(end: WorkerEnd = { kind: "exited", exitCode: 1, stderr: "" }): void {
    if (this.isKilled) return;
    if (end.kind === "exited") this.exit();
    this.hasEnded = true;
    this.#end();
    this.#listener.onEnd(end);
  }
}

/** A worker of scripted processes on a clock that stands still. */
export interface ScriptedWorker {
  readonly worker: HookWorker;
  readonly clock: ManualClock;
  readonly processes: ScriptedProcess[];
  readonly unasked: string[];
  /** The words of the answer or failure, once there is one; the deadline is 1,000 ms unless given. */
  ask(text?: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Asked;
  /** Moves the time on and lets everything that follows happen. */
  pass(ms: number): Promise<void>;
  /** The process that runs now, greeted. */
  ready(): ScriptedProcess;
}

/** A question on its way. */
export interface Asked {
  said: string | undefined;
}

/** Makes one. */
export function scriptedWorker(): ScriptedWorker {
  const clock = manualClock();
  const processes: ScriptedProcess[] = [];
  const unasked: string[] = [];
  const worker = new HookWorker({
    clock,
    start: (listener) => {
      const process = new ScriptedProcess(listener);
      processes.push(process);
      return process;
    },
    onUnasked: ({ message }) => unasked.push(message),
  });
  return {
    worker,
    clock,
    processes,
    unasked,
    ask(text = "{}", { timeoutMs = 1000, signal = new AbortController().signal } = {}) {
      const asked: Asked = { said: undefined };
      void worker.ask({ text, timeoutMs, signal }).then(
        (answer: HookAnswer) => (asked.said = answer.decision),
        (error: Error) => (asked.said = error.message),
      );
      return asked;
    },
    async pass(ms) {
      clock.advance(ms);
      await turn();
      await turn();
    },
    ready: () => processes.at(-1)!.hello(),
  };
}
