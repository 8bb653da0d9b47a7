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
  readonly #offered: ReadonlySet<string> | undefined;
  readonly #hidden: ReadonlySet<string>;

  private constructor(offered: Iterable<string> | undefined, hidden: Iterable<string>) {
    this.#offered = offered && new Set(offered);
    this.#hidden = new Set(hidden);
    if (this.#offered) this.offered = sorted(this.#offered);
    this.hidden = sorted(this.#hidden);
    Object.defineProperty(this, BRAND, { value: true });
    Object.freeze(this);
  }

  /** These tools and no others; an empty list is a child without tools. */
  static only(names: Iterable<string>): ToolRoster {
    return new ToolRoster(checkNames(names), []);
  }

  /** Every tool but these and the host's defaults. */
  static hide(names: Iterable<string>): ToolRoster {
    return new ToolRoster(undefined, checkNames(names));
  }

  /** True for a roster, whichever copy of this package made it. */
  static is(value: unknown): value is ToolRoster {
    return typeof value === "object" && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
  }

  /** (no allow-list, or in it) and not hidden. */
  allows(name: string): boolean {
    return !this.#hidden.has(name) && (this.#offered?.has(name) ?? true);
  }

  /** A roster that allows what both allow. */
  intersect(other: ToolRoster): ToolRoster {
    const offered = this.offered ?? other.offered;
    const both = offered?.filter((name) => this.allows(name) && other.allows(name));
    return new ToolRoster(both, [...this.hidden, ...other.hidden]);
  }

  /** The form that a preview shows. */
  form(): RosterForm {
    return this.offered ? { offered: this.offered } : { hidden: this.hidden };
  }
}

function checkNames(names: Iterable<string>): string[] {
  const iterable = typeof names === "object" && names !== null && Symbol.iterator in names;
  const list: unknown[] = iterable ? [...names] : [undefined];
  for (const name of list) {
    if (typeof name === "string" && name !== "" && !/\p{Surrogate}/u.test(name)) continue;
    throw new ChildPolicyError("invalid_spec", "a roster is made of tool names", {
      details: { field: "roster", problem: "holds something that is no tool name" },
    });
  }
  return list as string[];
}

function sorted(names: ReadonlySet<string>): readonly string[] {
  return Object.freeze([...names].toSorted());
}
