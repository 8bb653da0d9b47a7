import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "@basis/core";
import { afterPending, DRAIN_MS, type Program } from "./command.ts";
import { exitCodeOf, notExecuted } from "./exit-status.ts";
import type { Launched, LaunchListener, Launcher } from "./launcher.ts";
import type { ChildEnd, ChildListener, PipedChild } from "./piped-child.ts";
import { terminate } from "./termination.ts";

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** What is kept of what setsid(1) or env(1) says. */
const QUOTED_BYTES = 512;

/** Starts a program with pipes through a launcher; undefined when this one cannot be. */
export function startLaunchedChild(
  launcher: Launcher,
  { program, clock }: { readonly program: Program; readonly clock: Clock },
  listener: ChildListener,
): PipedChild | undefined {
  const id = launcher.nextId();
  const path = (stream: string): string => join(launcher.directory, `${id}.${stream}`);
  const child = new LaunchedChild([path("in"), path("out"), path("err")], listener, clock);
  const [stdin, stdout, stderr] = child.paths;
  const launched = launcher.start({ id, program, stdin, stdout, stderr, arePipes: true }, child);
  if (launched !== undefined) child.begin(launched);
  return launched && child;
}

/** Its pipes have names until both ends are open. */
class LaunchedChild implements PipedChild, LaunchListener {
  readonly paths: readonly [string, string, string];
  readonly #listener: ChildListener;
  readonly #clock: Clock;
  #launched: Launched | undefined;
  #input: Socket | undefined;
  /** What is to be written once there is a reader; undefined when nothing is written any more. */
  #unsent: string[] | undefined = [];
  #descriptors: number[] = [];
  #outputs: Socket[] = [];
  #open = 0;
  #onAllRead: () => void = () => undefined;
  #callOff: () => void = () => undefined;
  #isSilent = true;
  #said = "";
  #isCut = false;
  #isDone = false;

  constructor(paths: readonly [string, string, string], listener: ChildListener, clock: Clock) {
    this.paths = paths;
    this.#listener = listener;
    this.#clock = clock;
  }

  begin(launched: Launched): void {
    this.#launched = launched;
  }

  send(text: string): void {
    if (this.#input !== undefined) this.#input.write(text);
    else this.#unsent?.push(text);
  }

  breakInput(): void {
    this.#unsent = undefined;
    this.#input?.destroy();
  }

  terminate(onStuck: () => void): () => void {
    this.#isCut = true;
    const signal = (name: "SIGTERM" | "SIGKILL"): void => this.#launched?.signal(name);
    return terminate(signal, { clock: this.#clock, onStuck });
  }

  release(): void {
    this.#isDone = true;
    this.#callOff();
    this.#launched?.giveUp();
    this.breakInput();
    for (const socket of this.#outputs) socket.destroy();
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
  }

  /** Opens this side of the pipes, which waits for nobody. The other side waits for it. */
  onPipes(): void {
    const [stdin, stdout, stderr] = this.paths;
    try {
      this.#descriptors.push(openSync(stdin, O_RDWR | O_NONBLOCK));
      this.#descriptors.push(openSync(stdout, O_RDONLY | O_NONBLOCK));
      this.#descriptors.push(openSync(stderr, O_RDONLY | O_NONBLOCK));
    } catch (error) {
      this.#end({ kind: "not_started", error: error as Error });
    }
  }

  /** The other side is open: only now does an empty pipe not mean its end. */
  onStarted(): void {
    if (this.#isDone) return;
    const [both = -1, stdout = -1, stderr = -1] = this.#descriptors.splice(0);
    this.#read(stdout, (chunk) => {
      this.#isSilent = false;
      this.#listener.onStdout(chunk);
    });
    this.#read(stderr, (chunk) => {
      if (this.#said.length < QUOTED_BYTES) this.#said += chunk.toString("utf8", 0, QUOTED_BYTES);
      this.#listener.onStderr(chunk);
    });
    if (this.#unsent !== undefined) this.#write(this.#unsent);
    // Held until there was a writer that is no reader as well.
    closeSync(both);
    for (const path of this.paths) rmSync(path, { force: true });
  }

  onNotStarted(problem: string): void {
    this.#end({ kind: "not_started", error: new Error(problem) });
  }

  onLost(): void {
    this.#end({ kind: "exited", exitCode: null, exitSignal: "SIGKILL" });
  }

  onEnded(status: number): void {
    if (this.#isDone) return;
    this.#listener.onExit?.();
    const finish = (): void => this.#end(this.#endOf(status));
    if (this.#isCut || this.#open === 0) {
      finish();
      return;
    }
    this.#onAllRead = finish;
    this.#callOff = this.#clock.alarm(DRAIN_MS, () => afterPending(finish));
  }

  #endOf(status: number): ChildEnd {
    const problem = notExecuted(status, { isSilent: this.#isSilent, stderr: this.#said.trim() });
    if (problem !== undefined) return { kind: "not_started", error: new Error(problem) };
    return { kind: "exited", exitCode: exitCodeOf(status), exitSignal: null };
  }

  #end(end: ChildEnd): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#callOff();
    this.#listener.onEnd(end);
  }

  #read(descriptor: number, take: (chunk: Buffer) => void): void {
    const socket = new Socket({ fd: descriptor, readable: true, writable: false });
    socket.unref();
    socket.on("error", () => undefined);
    socket.on("data", take);
    socket.once("close", () => {
      this.#open -= 1;
      if (this.#open === 0) this.#onAllRead();
    });
    this.#open += 1;
    this.#outputs.push(socket);
  }

  #write(texts: readonly string[]): void {
    this.#unsent = undefined;
    try {
      const fd = openSync(this.paths[0], O_WRONLY | O_NONBLOCK);
      this.#input = new Socket({ fd, readable: false, writable: true });
    } catch {
      // it has ended already, and nobody reads
      return;
    }
    this.#input.unref();
    this.#input.on("error", () => undefined);
    for (const text of texts) this.#input.write(text);
  }
}
