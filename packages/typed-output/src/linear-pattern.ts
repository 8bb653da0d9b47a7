import { parsePattern, type PatternNode } from "./pattern-syntax.ts";

/** Most instructions a pattern may become. */
const MAX_PROGRAM = 2_000;

type Instruction =
  | { readonly op: "atom"; readonly test: (unit: string) => boolean }
  | { readonly op: "assert"; readonly kind: Assertion }
  | { readonly op: "split"; readonly to: readonly number[] }
  | { readonly op: "match" };

type Assertion = "start" | "end" | "boundary" | "inside";

/** A pattern as an automaton: its time grows with the text, never with the ways to match it. */
export interface LinearPattern {
  /** True when a backtracking engine may run away on it: nested repetitions, or more than two of them. */
  readonly risky: boolean;
  test(text: string): boolean;
}

/**
 * Compiles a regular expression into an automaton that is simulated state by state (Thompson's construction).
 * Undefined for what has none (lookaround, back references) and for what would grow too large.
 */
export function compileLinear(source: string, unicode: boolean): LinearPattern | undefined {
  const tree = parsePattern(source, unicode);
  if (!tree) return undefined;
  const program: Instruction[] = [];
  if (!emit(tree, { program, unicode, atoms: new Map() })) return undefined;
  program.push({ op: "match" });
  return {
    risky: isRisky(tree),
    test: (text) => simulate(program, unicode ? Array.from(text) : text.split("")),
  };
}

interface Emitter {
  readonly program: Instruction[];
  readonly unicode: boolean;
  readonly atoms: Map<string, (unit: string) => boolean>;
}

/** Appends a node's instructions, so that falling off their end means a match; false when there are too many. */
function emit(node: PatternNode, out: Emitter): boolean {
  if (out.program.length > MAX_PROGRAM) return false;
  switch (node.type) {
    case "atom":
      out.program.push({ op: "atom", test: atomTest(node.source, out) });
      return true;
    case "assert":
      out.program.push({ op: "assert", kind: node.kind });
      return true;
    case "sequence":
      return node.parts.every((part) => emit(part, out));
    case "choice":
      return emitChoice(node.options, out);
    case "repeat":
      return emitRepeat(node, out);
    default:
      return node satisfies never;
  }
}

function emitChoice(options: readonly PatternNode[], out: Emitter): boolean {
  const { program } = out;
  const fork = program.length;
  const starts: number[] = [];
  const jumps: number[] = [];
  program.push({ op: "split", to: starts });
  for (const option of options) {
    starts.push(program.length);
    if (!emit(option, out)) return false;
    jumps.push(program.length);
    program.push({ op: "split", to: [] });
  }
  for (const jump of jumps) program[jump] = { op: "split", to: [program.length] };
  program[fork] = { op: "split", to: starts };
  return true;
}

function emitRepeat(node: PatternNode & { type: "repeat" }, out: Emitter): boolean {
  const { program } = out;
  for (let i = 0; i < node.min; i += 1) if (!emit(node.body, out)) return false;
  if (node.max === Infinity) {
    const loop = program.length;
    program.push({ op: "split", to: [] });
    if (!emit(node.body, out)) return false;
    program.push({ op: "split", to: [loop] });
    program[loop] = { op: "split", to: [loop + 1, program.length] };
    return true;
  }
  const exits: number[] = [];
  for (let i = node.min; i < node.max; i += 1) {
    exits.push(program.length);
    program.push({ op: "split", to: [] });
    if (!emit(node.body, out)) return false;
  }
  for (const exit of exits) program[exit] = { op: "split", to: [exit + 1, program.length] };
  return true;
}

/** Tests one character by the platform's own engine, so that classes and escapes mean what they always mean. */
function atomTest(source: string, out: Emitter): (unit: string) => boolean {
  const known = out.atoms.get(source);
  if (known) return known;
  const expression = new RegExp(`^(?:${source})$`, out.unicode ? "u" : "");
  const ascii: (boolean | undefined)[] = [];
  const test = (unit: string): boolean => {
    const code = unit.charCodeAt(0);
    if (unit.length > 1 || code > 127) return expression.test(unit);
    return (ascii[code] ??= expression.test(unit));
  };
  out.atoms.set(source, test);
  return test;
}

/** Runs every thread of the program side by side over the text; the match may begin anywhere. */
function simulate(program: readonly Instruction[], units: readonly string[]): boolean {
  const seen = new Int32Array(program.length).fill(-1);
  let threads: number[] = [];
  for (let at = 0; at <= units.length; at += 1) {
    const ready: number[] = [];
    const stack = [0, ...threads];
    while (stack.length > 0) {
      const pc = stack.pop()!;
      if (seen[pc] === at) continue;
      seen[pc] = at;
      const step = program[pc]!;
      if (step.op === "match") return true;
      if (step.op === "atom") ready.push(pc);
      else if (step.op === "split") stack.push(...step.to);
      else if (holds(step.kind, units, at)) stack.push(pc + 1);
    }
    const unit = units[at];
    threads = unit === undefined ? [] : ready.filter((pc) => accepts(program[pc]!, unit)).map((pc) => pc + 1);
  }
  return false;
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

/** Counts repetitions without a small upper bound, and looks for one inside another. */
function isRisky(root: PatternNode): boolean {
  let repetitions = 0;
  const nested = (node: PatternNode, inside: boolean): boolean => {
    if (node.type === "sequence") return node.parts.some((part) => nested(part, inside));
    if (node.type === "choice") return inside || node.options.some((option) => nested(option, inside));
    if (node.type !== "repeat") return false;
    const wide = node.max > 8;
    repetitions += wide ? 1 : 0;
    return (wide && inside) || nested(node.body, inside || wide);
  };
  return nested(root, false) || repetitions > 2;
}
