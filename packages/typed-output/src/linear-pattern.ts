import { runProgram, type Instruction } from "./pattern-machine.ts";
import { growthOf, isRisky } from "./pattern-risk.ts";
import { parsePattern, type PatternNode } from "./pattern-syntax.ts";

/** Most instructions a pattern may become. */
const MAX_PROGRAM = 2_000;

/** A pattern as an automaton: its time grows with the text, never with the ways to match it. */
export interface LinearPattern {
  /** True when a backtracking engine may run away on it. */
  readonly risky: boolean;
  /** The power of the text's length with which such an engine's time may grow when it does not run away. */
  readonly growth: number;
  /** Instructions, those of its lookarounds included. */
  readonly size: number;
  /** True with lookaround, for which time grows with the square of the text. */
  readonly looks: boolean;
  test(text: string): boolean;
}

/**
 * Compiles a regular expression into an automaton that is simulated state by state (Thompson's construction).
 * Undefined for what has none (back references) and for what would grow too large.
 */
export function compileLinear(source: string, unicode: boolean): LinearPattern | undefined {
  const tree = parsePattern(source, unicode);
  if (!tree) return undefined;
  const whole: Whole = { unicode, atoms: new Map(), size: 0, looks: 0 };
  const program = emitProgram(tree, whole);
  if (!program) return undefined;
  return {
    risky: isRisky(tree),
    growth: Math.max(1, growthOf(tree)),
    size: whole.size,
    looks: whole.looks > 0,
    test: (text) => runProgram(program, unicode ? Array.from(text) : text.split("")),
  };
}

/** What the programs of one pattern share. */
interface Whole {
  readonly unicode: boolean;
  readonly atoms: Map<string, (unit: string) => boolean>;
  size: number;
  looks: number;
}

interface Emitter {
  readonly program: Instruction[];
  readonly whole: Whole;
}

/** The program of a pattern or of one of its lookarounds. */
function emitProgram(node: PatternNode, whole: Whole): readonly Instruction[] | undefined {
  const program: Instruction[] = [];
  if (!emit(node, { program, whole })) return undefined;
  program.push({ op: "match" });
  whole.size += program.length;
  return whole.size > MAX_PROGRAM ? undefined : program;
}

/** Appends a node's instructions, so that falling off their end means a match; false when there are too many. */
function emit(node: PatternNode, out: Emitter): boolean {
  if (out.program.length + out.whole.size > MAX_PROGRAM) return false;
  switch (node.type) {
    case "atom":
      out.program.push({ op: "atom", test: atomTest(node.source, out.whole) });
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
    case "look":
      return emitLook(node, out);
    case "reference":
      return false;
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

function emitLook(node: PatternNode & { type: "look" }, out: Emitter): boolean {
  const { behind, negated } = node;
  const id = out.whole.looks;
  out.whole.looks += 1;
  const program = emitProgram(node.body, out.whole);
  if (program) out.program.push({ op: "look", id, program, behind, negated });
  return program !== undefined;
}

/** Tests one character by the platform's own engine, so that classes and escapes mean what they always mean. */
function atomTest(source: string, out: Whole): (unit: string) => boolean {
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
