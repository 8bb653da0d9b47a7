import type { PatternNode } from "./pattern-syntax.ts";

/** More repetitions than this count as any number. */
const FEW = 8;
/** Most repetitions of any number that a backtracking engine is trusted with. */
const MAX_WIDE = 2;
/** Most places at which it may try one more way. */
const MAX_WAYS = 8;

/** How often a backtracking engine may have to try again. */
interface Retries {
  /** Repetitions of any number: each is one more power of the text's length. */
  readonly wide: number;
  /** Options and short repetitions: each may double the time. */
  readonly ways: number;
}

/** True when a backtracking engine may run away on a pattern: by repetition in repetition, or by too many choices. */
export function isRisky(root: PatternNode): boolean {
  const { wide, ways } = retriesOf(root);
  return wide > MAX_WIDE || ways > MAX_WAYS;
}

/** The power of the text's length with which a backtracking engine's time may grow on a pattern that is not risky. */
export function growthOf(root: PatternNode): number {
  const first = root.type === "sequence" ? root.parts[0] : undefined;
  const isAnchored = first?.type === "assert" && first.kind === "start";
  return retriesOf(root).wide + (isAnchored ? 0 : 1);
}

/** True when nothing in a pattern but one repetition lets a backtracking engine try again. */
export function isSimple(root: PatternNode): boolean {
  const { wide, ways } = retriesOf(root);
  return wide <= 1 && ways <= 2;
}

function retriesOf(node: PatternNode): Retries {
  switch (node.type) {
    case "atom":
    case "assert":
      return { wide: 0, ways: 0 };
    case "reference":
      return { wide: 1, ways: 0 };
    case "look":
      return retriesOf(node.body);
    case "sequence":
      return sum(node.parts);
    case "choice": {
      const { wide, ways } = sum(node.options);
      return { wide, ways: ways + node.options.length - 1 };
    }
    case "repeat":
      return repeated(retriesOf(node.body), node.max - node.min, node.max);
    default:
      return node satisfies never;
  }
}

function repeated({ wide, ways }: Retries, spread: number, max: number): Retries {
  if (wide === 0 && ways === 0) return spread > FEW ? { wide: 1, ways: 0 } : { wide: 0, ways: spread };
  return max > FEW ? { wide: Infinity, ways } : { wide: wide * max, ways: ways * max + spread };
}

function sum(nodes: readonly PatternNode[]): Retries {
  let wide = 0;
  let ways = 0;
  for (const node of nodes) {
    const retries = retriesOf(node);
    wide += retries.wide;
    ways += retries.ways;
  }
  return { wide, ways };
}
