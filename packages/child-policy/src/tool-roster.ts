import { ChildPolicyError } from "./child-policy-error.ts";

const BRAND: unique symbol = Symbol.for("@basis/child-policy/roster") as never;

/** The requested form of a roster, as a preview shows it: names sorted, each once. */
export type RosterForm = { readonly offered: readonly string[] } | { readonly hidden: readonly string[] };

/**
 * Which tools somebody may use: at most the `offered` ones (absent: any), never the `hidden` ones.
 * Immutable. Names are exact.
 */
export class ToolRoster {
  /** The allow-list; absent when there is none, which is not the same as an empty one. */
  readonly offered?: readonly string[];
  readonly hidden: readonly string[];
  /** Made when the first name is looked up. */
  #isOffered: ((name: string) => boolean) | undefined;
  #isHidden: ((name: string) => boolean) | undefined;

  /** Both lists sorted, each name once. */
  private constructor(offered: readonly string[] | undefined, hidden: readonly string[]) {
    if (offered) this.offered = Object.freeze(offered);
    this.hidden = Object.freeze(hidden);
    Object.defineProperty(this, BRAND, { value: true });
    Object.freeze(this);
  }

  /** These tools and no others; an empty list is a child without tools. */
  static only(names: Iterable<string>): ToolRoster {
    return new ToolRoster(sorted(checkNames(names)), []);
  }

  /** Every tool but these and the host's defaults. */
  static hide(names: Iterable<string>): ToolRoster {
    return new ToolRoster(undefined, sorted(checkNames(names)));
  }

  /** True for a roster, whichever copy of this package made it. */
  static is(value: unknown): value is ToolRoster {
    return typeof value === "object" && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
  }

  /** (no allow-list, or in it) and not hidden. */
  allows(name: string): boolean {
    this.#isHidden ??= nameLookup(this.hidden);
    if (this.#isHidden(name)) return false;
    if (this.offered === undefined) return true;
    this.#isOffered ??= nameLookup(this.offered);
    return this.#isOffered(name);
  }

  /** A roster that allows what both allow. */
  intersect(other: ToolRoster): ToolRoster {
    const hidden = sorted([...this.hidden, ...other.hidden]);
    const offered = this.offered ?? other.offered;
    if (offered === undefined) return new ToolRoster(undefined, hidden);
    const isHidden = nameLookup(hidden);
    const isOther = nameLookup(other.offered ?? [], offered.length);
    const both = (name: string): boolean => !isHidden(name) && (other.offered === undefined || isOther(name));
    return new ToolRoster(offered.filter(both), hidden);
  }

  /** The form that a preview shows. */
  form(): RosterForm {
    return this.offered ? { offered: this.offered } : { hidden: this.hidden };
  }
}

/** So few names, or questions, are quicker answered by looking through the list than by a set. */
const FEW = 16;

/** Answers whether a name is in a list; `questions` is how many are going to be asked. */
export function nameLookup(
  names: readonly string[],
  questions: number = Infinity,
): (name: string) => boolean {
  if (names.length <= FEW || questions <= FEW) return (name) => names.includes(name);
  const set = new Set(names);
  return (name) => set.has(name);
}

function checkNames(names: Iterable<string>): string[] {
  const iterable = typeof names === "object" && names !== null && Symbol.iterator in names;
  const list: unknown[] = iterable ? [...names] : [undefined];
  for (const name of list) {
    if (typeof name === "string" && name !== "" && !hasLoneSurrogate(name)) continue;
    throw new ChildPolicyError("invalid_spec", "a roster is made of tool names", {
      details: { field: "roster", problem: "holds something that is no tool name" },
    });
  }
  return list as string[];
}

/** The engine's own check where there is one: it is far faster than a pattern. */
function hasLoneSurrogate(text: string): boolean {
  const checkable = text as string & { readonly isWellFormed?: () => boolean };
  return !(checkable.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text));
}

function sorted(names: readonly string[]): readonly string[] {
  const isSorted = names.every((name, at) => at === 0 || names[at - 1]! < name);
  return isSorted ? names : [...new Set(names)].toSorted();
}
