/** One step of a pattern's program. */
export type Instruction =
  | { readonly op: "atom"; readonly test: (unit: string) => boolean }
  | { readonly op: "assert"; readonly kind: "start" | "end" | "boundary" | "inside" }
  | { readonly op: "split"; readonly to: readonly number[] }
  | {
      readonly op: "look";
      /** Tells the lookarounds of one pattern apart. */
      readonly id: number;
      readonly program: readonly Instruction[];
      readonly behind: boolean;
      readonly negated: boolean;
    }
  | { readonly op: "match" };

type Assertion = Extract<Instruction, { op: "assert" }>["kind"];

/** True when the program matches somewhere in the text, given as its characters. */
export function runProgram(program: readonly Instruction[], units: readonly string[]): boolean {
  return new Machine(units).matches(program, { from: 0, anchored: false });
}

/** Where a match may begin, and where it has to end. */
interface Span {
  readonly from: number;
  /** True when it begins at `from`, false when it may begin later. */
  readonly anchored: boolean;
  /** Absent: anywhere. */
  readonly until?: number;
}

/** All threads of a program at one place of the text. */
interface Place {
  readonly at: number;
  readonly stack: number[];
  /** For each instruction the last place it was followed at. */
  readonly seen: Int32Array;
  /** True where a match may end. */
  readonly mayEnd: boolean;
}

/** Runs every thread of a program side by side over one text; each lookaround is worked out once for each place. */
class Machine {
  readonly #units: readonly string[];
  readonly #looked: (boolean | undefined)[][] = [];

  constructor(units: readonly string[]) {
    this.#units = units;
  }

  matches(program: readonly Instruction[], { from, anchored, until }: Span): boolean {
    const seen = new Int32Array(program.length).fill(-1);
    const last = until ?? this.#units.length;
    let threads: number[] = [];
    for (let at = from; at <= last; at += 1) {
      const stack = anchored && at > from ? threads : [0, ...threads];
      if (stack.length === 0) return false;
      const ready = this.#settle(program, { at, stack, seen, mayEnd: until === undefined || at === until });
      if (ready === undefined) return true;
      const unit = this.#units[at];
      threads =
        unit === undefined ? [] : ready.filter((pc) => accepts(program[pc]!, unit)).map((pc) => pc + 1);
    }
    return false;
  }

  /** Follows every thread up to where it reads a character; undefined when one of them has matched. */
  #settle(program: readonly Instruction[], place: Place): number[] | undefined {
    const { at, stack, seen, mayEnd } = place;
    const ready: number[] = [];
    while (stack.length > 0) {
      const pc = stack.pop()!;
      if (seen[pc] === at) continue;
      seen[pc] = at;
      const step = program[pc]!;
      if (step.op === "match" && mayEnd) return undefined;
      if (step.op === "atom") ready.push(pc);
      else this.#follow(step, { pc, at, stack });
    }
    return ready;
  }

  /** Goes on with the threads that a step which reads no character leads to. */
  #follow(step: Instruction, { pc, at, stack }: { pc: number; at: number; stack: number[] }): void {
    if (step.op === "split") stack.push(...step.to);
    else if (step.op === "assert" && holds(step.kind, this.#units, at)) stack.push(pc + 1);
    else if (step.op === "look" && this.#look(step, at) !== step.negated) stack.push(pc + 1);
  }

  #look({ id, program, behind }: Extract<Instruction, { op: "look" }>, at: number): boolean {
    const known = (this.#looked[id] ??= []);
    return (known[at] ??= this.matches(
      program,
      behind ? { from: 0, anchored: false, until: at } : { from: at, anchored: true },
    ));
  }
}

function accepts(step: Instruction, unit: string): boolean {
  return step.op === "atom" && step.test(unit);
}

function holds(kind: Assertion, units: readonly string[], at: number): boolean {
  if (kind === "start") return at === 0;
  if (kind === "end") return at === units.length;
  const boundary = isWord(units[at - 1]) !== isWord(units[at]);
  return kind === "boundary" ? boundary : !boundary;
}

function isWord(unit: string | undefined): boolean {
  return unit !== undefined && /^\w$/.test(unit);
}
