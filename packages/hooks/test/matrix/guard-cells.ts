import { readdirSync, readlinkSync } from "node:fs";
import { vi } from "vitest";
import type { HookEvent, HookFailure, HookOutcome, HookReport, TrailEntry } from "../../src/index.ts";
import type { HookSpec, OpenedHooks } from "../../src/node/index.ts";
import { sampleCall } from "../../src/testing/index.ts";
import type { Fixture } from "../node/workspace-fixture.ts";
import { CANARY, type BrokenGuard, type GuardMode, type LaidGuard } from "./broken-guard.ts";
import { codeOfWords } from "./failure-words.ts";

/** A place of the broken guard in a chain of three. */
export interface Cell {
  readonly event: HookEvent;
  readonly position: 0 | 1 | 2;
  readonly onFailure: "deny" | "allow";
}

/** Before and after the call; first, middle and last; failing closed and open. */
export const CELLS: readonly Cell[] = (["pre_tool_use", "post_tool_use"] as const).flatMap((event) =>
  ([0, 1, 2] as const).flatMap((position) =>
    (["deny", "allow"] as const).map((onFailure) => ({ event, position, onFailure })),
  ),
);

/** What a call came to. */
export interface CellFacts {
  readonly outcome: HookOutcome;
  readonly code: string | undefined;
  /** The code whose closed words the denial has. */
  readonly wordsOf: string | undefined;
  readonly quotesProgram: boolean;
  readonly decisions: readonly string[];
  readonly reported: readonly string[];
  readonly isInTime: boolean;
}

/** One call's end. */
export interface CellResult {
  readonly cell: Cell;
  readonly outcome: HookOutcome;
  readonly ms: number;
}

/** A chain in which every cell has three guards of its own, found by the name of the tool. */
export class GuardMatrix {
  readonly reports: { readonly message: string; readonly about: HookReport }[] = [];
  readonly #guard: BrokenGuard;
  readonly #mode: GuardMode;
  readonly #fixture: Fixture;
  #chain: OpenedHooks | undefined;

  constructor(guard: BrokenGuard, mode: GuardMode, fixture: Fixture) {
    this.#guard = guard;
    this.#mode = mode;
    this.#fixture = fixture;
  }

  async open(): Promise<void> {
    await this.#fixture.write("workspace/ally.sh", `#!/bin/sh\necho '{"decision":"allow"}'\n`, 0o700);
    const laid = await this.#guard.lay(this.#fixture);
    const specs = CELLS.flatMap((cell) =>
      ["break", "behave"].flatMap((doing) => this.#three(laid, cell, doing)),
    );
    this.#chain = await this.#fixture.open({
      specs,
      discovery: false,
      trailSize: 100,
      report: (message, about) => this.reports.push({ message, about }),
    });
  }

  async ask(cell: Cell, doing: "break" | "behave"): Promise<CellResult> {
    const name = `${toolOf(cell)}-${doing}`;
    const call = sampleCall({ toolName: name, toolCallId: name });
    const started = performance.now();
    const outcome = await (cell.event === "pre_tool_use"
      ? this.#opened.beforeCall(call)
      : this.#opened.afterCall(call, { output: "done", isError: false }));
    return { cell, outcome, ms: performance.now() - started };
  }

  /** What a call to the broken guard came to. */
  factsOf({ cell, outcome, ms }: CellResult): CellFacts {
    const { asked, failure } = this.#answersOf(cell);
    const name = `${toolOf(cell)}-break`;
    return {
      outcome,
      code: failure?.code,
      wordsOf: codeOfWords(failure?.message ?? ""),
      quotesProgram: JSON.stringify(outcome).includes(CANARY),
      decisions: asked.map(({ decision }) => decision),
      reported: this.reports
        .filter(({ about }) => "toolCallId" in about && about.toolCallId === name)
        .map(({ message }) => message),
      isInTime: ms < 10_000,
    };
  }

  /** Never an allow, named, in time, in words that are not the program's, reported once; open, the rest is asked. */
  rightFactsOf({ cell }: CellResult): CellFacts {
    const { failure } = this.#answersOf(cell);
    const { codes } = this.#guard;
    const code = codes.find((known) => known === failure?.code) ?? codes[0];
    const denies = cell.onFailure === "deny";
    const reason = `hook 'broken' could not answer and denies on failure: ${failure?.message}`;
    const decisions = [0, 1, 2].map((at) => (at === cell.position ? "broken" : "allow"));
    return {
      outcome: denies ? { decision: "deny", reason } : { decision: "allow" },
      code,
      wordsOf: code,
      quotesProgram: false,
      decisions: decisions.slice(0, denies ? cell.position + 1 : 3),
      reported: [`hook 'broken' ${failure?.detail}`],
      isInTime: true,
    };
  }

  /** What a call to the same program came to, behaving: the outcome, who was asked, what was reported. */
  async behave(event: HookEvent): Promise<unknown> {
    const before = this.reports.length;
    const { outcome } = await this.ask({ event, position: 1, onFailure: "deny" }, "behave");
    const asked = this.#opened.trail.at(-1)?.asked ?? [];
    return [outcome.decision, ...asked.map(({ decision }) => decision), ...this.reports.slice(before)];
  }

  /** Closes the chain and waits until no process is left in its workspace; what had escaped is counted and killed. */
  async closeAndCount(): Promise<number> {
    await this.#opened.close();
    const { workspace } = this.#fixture;
    const isEmpty = (): boolean => processesIn(workspace).length === 0;
    if (this.#guard.escapes !== true) await vi.waitUntil(isEmpty, { timeout: 5000 }).catch(() => undefined);
    const left = processesIn(workspace);
    for (const pid of left) process.kill(pid, "SIGKILL");
    return left.length;
  }

  #answersOf(cell: Cell): {
    readonly asked: readonly TrailEntry[];
    readonly failure: HookFailure | undefined;
  } {
    const name = `${toolOf(cell)}-break`;
    const asked = this.#opened.trail.find(({ toolCallId }) => toolCallId === name)?.asked ?? [];
    return { asked, failure: asked[cell.position]?.failure };
  }

  get #opened(): OpenedHooks {
    if (this.#chain === undefined) throw new Error("the matrix is not open");
    return this.#chain;
  }

  #three(laid: LaidGuard, cell: Cell, doing: string): readonly HookSpec[] {
    const name = `${toolOf(cell)}-${doing}`;
    const common = { tools: [name], event: cell.event, timeout_ms: 20_000 };
    const ally: HookSpec = { ...common, name: "ally", command: ["./ally.sh"] };
    const isBroken = doing === "break";
    const guard: HookSpec = {
      ...common,
      name: "broken",
      command: laid.command(isBroken ? "break" : "behave", cell.event, name),
      mode: this.#mode,
      on_failure: cell.onFailure,
      timeout_ms: (isBroken ? this.#guard.deadlineMs : undefined) ?? 20_000,
    };
    return [0, 1, 2].map((at) => (at === cell.position ? guard : ally));
  }
}

function toolOf({ event, position, onFailure }: Cell): string {
  return `${event}-${position}-${onFailure}`;
}

/** The processes that run in a directory, in whatever group or session. */
function processesIn(directory: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && workingDirectory(pid) === directory);
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
