import { spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import { systemClock } from "@basis/core";
import { signalGroup } from "./group-signals.ts";
import {
  cutLine,
  forgetLine,
  launchLine,
  prelude,
  readReport,
  type LauncherReport,
  type LauncherTools,
  type LaunchOrder,
  type ShellKind,
} from "./launcher-script.ts";
import type { EndSignal } from "./termination.ts";

/** How long a launcher may take to end once its control pipe has. */
const CLOSE_MS = 2000;
/** How long a keeper that has ended may stay unreaped. */
const FORGET_MS = 50;

const PROBLEMS = {
  directory: "its working directory cannot be entered",
  pipes: "no pipes can be made for it",
} as const;

type FinalReport = Extract<LauncherReport, { kind: "ended" | "not_started" }>;

/** What becomes of a launched program. */
export interface LaunchListener {
  /** Its named pipes are there: opens this side of them. */
  onPipes?(): void;
  /** It is about to be executed, and has its streams. */
  onStarted(): void;
  /** It will not run. */
  onNotStarted(problem: string): void;
  /** It has ended and nothing of its group is left; `status` as a shell gives it, `uptimeS` when that was. */
  onEnded(status: number, uptimeS?: number): void;
  /** The launcher is gone, and the program was killed. */
  onLost(): void;
}

/** A program that a launcher was told to start. */
export interface Launched {
  /** Signals its group. */
  signal(signal: EndSignal): void;
  /** Stops waiting for it; what is known of its group is killed. */
  giveUp(): void;
}

interface Entry {
  readonly listener: LaunchListener;
  /** Its number, which is its group's, between its start and its end. */
  pid: number | undefined;
  /** To be sent once it has started: before that a signal could end its keeper, which then tells nothing. */
  held: EndSignal | undefined;
}

/**
 * A shell of one megabyte, started once, that starts programs in place of a large host. It does not keep the host
 * alive. However the host ends, its control pipe ends, and the launcher kills all that it started.
 */
export class Launcher {
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #tools: LauncherTools;
  readonly #entries = new Map<number, Entry>();
  readonly #ended: Promise<void>;
  #rest = "";
  /** Lines that forget ended programs, not yet sent. */
  #forgotten = "";
  #lastId = 0;
  #shell: ShellKind | undefined;
  #isGone = false;
  /** It lost track of a program: what still runs goes on, and nothing is started any more. */
  #isRetired = false;

  /** `directory` is private to this launcher and removed with it. */
  constructor(
    directory: string,
    { tools, shell }: { readonly tools: LauncherTools; readonly shell: string },
  ) {
    this.#directory = directory;
    this.#tools = tools;
    const child = spawn(shell, ["-s"], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child = child;
    child.unref();
    for (const stream of [child.stdin, child.stdout]) {
      (stream as Socket | null)?.unref();
      stream?.on("error", () => undefined);
    }
    child.stdout?.setEncoding("latin1").on("data", (text: string) => this.#onText(text));
    this.#ended = new Promise((resolve) => {
      const onEnd = (): void => {
        this.#onGone();
        resolve();
      };
      child.once("exit", onEnd);
      child.once("error", onEnd);
    });
    child.stdin?.write(prelude(directory, tools));
  }

  /** Whether it starts programs. */
  get isUsable(): boolean {
    return !this.#isGone && !this.#isRetired;
  }

  /** The directory for what it is told to read and write. */
  get directory(): string {
    return this.#directory;
  }

  /** A number that names one program and the files made for it. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Starts a program; undefined when this one cannot be started exactly as it is. */
  start(order: LaunchOrder, listener: LaunchListener): Launched | undefined {
    if (!this.isUsable) return undefined;
    const line = launchLine(order, this.#shell ?? "bash", this.#tools);
    if (line === undefined) return undefined;
    const { id } = order;
    const entry: Entry = { listener, pid: undefined, held: undefined };
    this.#entries.set(id, entry);
    this.#write(line + this.#takeForgotten());
    return {
      signal: (signal) => {
        if (entry.pid === undefined) entry.held = signal;
        else if (this.#entries.has(id)) this.#write(cutLine(id, signal));
      },
      giveUp: () => {
        if (!this.#entries.delete(id)) return;
        signalGroup(entry.pid, "SIGKILL");
        this.retire();
      },
    };
  }

  /** Starts nothing any more, and ends when what it has started has ended. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfDone();
  }

  /** Ends it and all that it started; resolves when it is gone. */
  close(): Promise<void> {
    if (this.#isGone) return this.#ended;
    this.#isRetired = true;
    this.#child.ref();
    this.#child.stdin?.end();
    const callOff = systemClock.alarm(CLOSE_MS, () => this.#child.kill("SIGKILL"));
    return this.#ended.finally(callOff);
  }

  #closeIfDone(): void {
    if (this.#isRetired && this.#entries.size === 0) void this.close();
  }

  #write(lines: string): void {
    if (lines !== "" && !this.#isGone) this.#child.stdin?.write(lines);
  }

  #onText(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const report = readReport(line);
      if (report !== undefined) this.#onReport(report);
    }
  }

  #onReport(report: LauncherReport): void {
    if (report.kind === "ready") {
      this.#shell = report.shell;
      return;
    }
    const entry = this.#entries.get(report.id);
    switch (report.kind) {
      case "pipes":
        entry?.listener.onPipes?.();
        return;
      case "started":
        if (entry !== undefined) this.#onStarted(report, entry);
        return;
      default:
        this.#onFinished(report, entry);
    }
  }

  #onStarted({ id, pid }: Extract<LauncherReport, { kind: "started" }>, entry: Entry): void {
    entry.pid = pid;
    if (entry.held !== undefined) this.#write(cutLine(id, entry.held));
    entry.listener.onStarted();
  }

  #onFinished(report: FinalReport, entry: Entry | undefined): void {
    this.#entries.delete(report.id);
    this.#forgetSoon(report.id);
    if (report.kind === "ended") entry?.listener.onEnded(report.status, report.uptimeS);
    else entry?.listener.onNotStarted(PROBLEMS[report.lacks]);
    this.#closeIfDone();
  }

  /** With the next order, which is in a hurry, or when there has been none for a while. */
  #forgetSoon(id: number): void {
    if (this.#forgotten === "") systemClock.alarm(FORGET_MS, () => this.#write(this.#takeForgotten()));
    this.#forgotten += forgetLine(id);
  }

  #takeForgotten(): string {
    const lines = this.#forgotten;
    this.#forgotten = "";
    return lines;
  }

  #onGone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    // Keepers that outlive it kill their programs; where they are gone as well, it is done here.
    signalGroup(this.#child.pid, "SIGUSR1");
    signalGroup(this.#child.pid, "SIGCONT");
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { pid } of entries) signalGroup(pid, "SIGKILL");
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
    rmSync(this.#directory, { recursive: true, force: true });
    for (const { listener } of entries) listener.onLost();
  }
}
