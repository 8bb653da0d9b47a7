import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { summaryOf } from "./store-summary.ts";
import {
  callsWithin,
  injection,
  recording,
  runProgram,
  type CallFault,
  type FaultKind,
  type ProgramEnd,
} from "./strace.ts";

const PROGRAM = fileURLToPath(new URL("programs/operate.mjs", import.meta.url));

/** How faults are brought about: from outside, at the system calls, or inside the process, at the driver port. */
export type Means = "strace" | "port";

const KINDS: readonly FaultKind[] = ["kill", "full", "io"];

/** The operations whose writes and syncs are made to fail. */
export const OPERATIONS = [
  "create",
  "append",
  "calls",
  "cancel",
  "commit",
  "seat",
  "abandon",
  "redact",
  "rebase",
  "import",
  "collect",
  "backup",
] as const;

/** One fault in one operation. */
export interface FaultSchedule {
  readonly operation: string;
  readonly fault: CallFault;
}

/** An operation as it goes without faults. */
interface Reference {
  /** What the store tells before the first step, after it, and so on. */
  readonly states: readonly string[];
  readonly schedules: readonly FaultSchedule[];
}

/** Files that are removed at the end, and what each operation does when nothing goes wrong. */
export class FaultBench {
  readonly #directory = mkdtempSync(join(tmpdir(), "sqlite-faults-"));
  readonly #means: Means;
  readonly #references = new Map<string, Reference>();
  #files = 0;

  constructor(means: Means) {
    this.#means = means;
    const made = runProgram([PROGRAM, join(this.#directory, "prepared.db"), "prepare"]);
    if (made.code !== 0 || made.lines.some((line) => line.startsWith("refused")))
      throw new Error(made.errors);
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Every fault at every write and sync of an operation. */
  async schedules(operation: string): Promise<readonly FaultSchedule[]> {
    return (await this.#reference(operation)).schedules;
  }

  /** Plays one fault, and for some the operation once more; answers what came of it. @throws Error for a violation. */
  async play({ operation, fault }: FaultSchedule): Promise<"killed" | "refused" | "hidden"> {
    const { states } = await this.#reference(operation);
    const path = this.#freshFile(operation);
    const end = this.#run(path, operation, fault);
    const { done, outcome, mayBeDone } = readEnd(end);
    if (fault.kind === "kill" && outcome !== "killed") throw new Error("nobody was killed");
    const summary = await summaryOf(path);
    const legal = mayBeDone ? states.slice(done, done + 2) : [states[done]];
    if (!legal.includes(summary)) {
      throw new Error(
        `${done} steps were acknowledged, and the store tells ${legal.map((state = "") => differenceOf(summary, state)).join("; nor ")}`,
      );
    }
    // Each call's fault is followed by a repetition for one of the three kinds.
    if ((fault.nth + KINDS.indexOf(fault.kind)) % KINDS.length === 0)
      await this.#repeat(path, operation, states);
    return outcome;
  }

  /** What was cut short is done again, by a process without faults. */
  async #repeat(path: string, operation: string, states: readonly string[]): Promise<void> {
    const again = runProgram([PROGRAM, path, operation]);
    if (readEnd(again).done !== states.length - 1) {
      throw new Error(`the repetition ends in ${again.lines.join()}`);
    }
    if ((await summaryOf(path)) !== states.at(-1)) throw new Error("the repetition comes to another end");
  }

  #run(path: string, operation: string, fault: CallFault): ProgramEnd {
    const args = [PROGRAM, path, operation];
    if (this.#means === "strace") return runProgram(args, { tracing: injection(fault) });
    return runProgram(args, { fault: `${fault.kind}:${fault.nth}` });
  }

  async #reference(operation: string): Promise<Reference> {
    const known = this.#references.get(operation);
    if (known !== undefined) return known;
    const states: string[] = [];
    for (let steps = 0; ; steps += 1) {
      const path = this.#freshFile(operation);
      const end = runProgram([PROGRAM, path, operation, String(steps)]);
      const { done, outcome } = readEnd(end);
      if (outcome !== "hidden") throw new Error(`${operation} fails without a fault: ${end.lines.join()}`);
      if (done < steps) break;
      states.push(await summaryOf(path));
    }
    const reference = { states, schedules: this.#listSchedules(operation) };
    this.#references.set(operation, reference);
    return reference;
  }

  #listSchedules(operation: string): readonly FaultSchedule[] {
    const path = this.#freshFile(operation);
    const log = `${path}.log`;
    const args = [PROGRAM, path, operation];
    const isTraced = this.#means === "strace";
    const { lines } = runProgram(args, isTraced ? { tracing: recording(log) } : {});
    const steps = Number(/closed after (\d+)/.exec(lines.at(-1) ?? "")?.[1] ?? 0);
    const calls = isTraced
      ? callsWithin(log)
      : Array.from({ length: steps }, (_, index) => ({ call: "driver step", nth: index + 1 }));
    return calls.flatMap((call) => KINDS.map((kind) => ({ operation, fault: { kind, ...call } })));
  }

  #freshFile(operation: string): string {
    this.#files += 1;
    const directory = mkdtempSync(join(this.#directory, `${this.#files}-`));
    const path = join(directory, "store.db");
    if (operation !== "create") copyFileSync(join(this.#directory, "prepared.db"), path);
    return path;
  }
}

/** Two texts from the place on where they differ. */
function differenceOf(found: string, wanted: string): string {
  let at = 0;
  while (at < found.length && found[at] === wanted[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `…${found.slice(from, at + 80)}… not …${wanted.slice(from, at + 80)}…`;
}

interface ReadEnd {
  readonly done: number;
  readonly outcome: "killed" | "refused" | "hidden";
  /** True when the step after the last acknowledged one may have become durable all the same. */
  readonly mayBeDone: boolean;
}

/** @throws Error when the program ended otherwise than by the kill, with a typed refusal, or well. */
function readEnd({ signal, code, lines, errors }: ProgramEnd): ReadEnd {
  const done = lines.filter((line) => line.startsWith("done")).length;
  if (signal === "SIGKILL") return { done, outcome: "killed", mayBeDone: true };
  if (code !== 0 || !lines.at(-1)?.startsWith("closed")) {
    throw new Error(`the program ended with ${code ?? signal}: ${lines.join()} ${errors}`);
  }
  const refusal = lines.find((line) => line.startsWith("refused"));
  if (refusal === undefined) return { done, outcome: "hidden", mayBeDone: false };
  const told: unknown = JSON.parse(refusal.slice("refused ".length));
  if (typeof told === "string") throw new Error(`the refusal is not typed: ${told}`);
  return { done, outcome: "refused", mayBeDone: refusal.includes("commit_unknown") };
}
