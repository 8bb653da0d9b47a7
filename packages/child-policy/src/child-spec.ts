import type { ModelInfo } from "@basis/core";
import { ChildPolicyError } from "./child-policy-error.ts";
import { ToolRoster } from "./tool-roster.ts";

const BRAND: unique symbol = Symbol.for("@basis/child-policy/spec") as never;

const LONE_SURROGATE = /\p{Surrogate}/u;

interface Overrides {
  readonly roster: ToolRoster | undefined;
  readonly model: ModelInfo | undefined;
  readonly system: string | undefined;
}

/**
 * Who a child is: what is set overrides, what is absent is inherited from the parent.
 * A spec carries no bounds; those are the parent's. Immutable: each `with…` answers another spec,
 * and the last of a kind wins.
 */
export class ChildSpec {
  readonly roster?: ToolRoster;
  readonly model?: ModelInfo;
  readonly #system: string | undefined;

  private constructor({ roster, model, system }: Overrides) {
    if (roster !== undefined) this.roster = roster;
    if (model !== undefined) this.model = model;
    this.#system = system;
    Object.defineProperty(this, BRAND, { value: true });
    Object.freeze(this);
  }

  /** The child's whole system text. An empty one is set, not absent. Not a property of its own: it does not travel with JSON. */
  get system(): string | undefined {
    return this.#system;
  }

  /** A child like its parent. */
  static inherit(): ChildSpec {
    return new ChildSpec({ roster: undefined, model: undefined, system: undefined });
  }

  /** True for a spec, whichever copy of this package made it. */
  static is(value: unknown): value is ChildSpec {
    return typeof value === "object" && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
  }

  /** These tools in place of the parent's. */
  withRoster(roster: ToolRoster): ChildSpec {
    if (!ToolRoster.is(roster)) throw invalid("roster", "is no ToolRoster");
    return new ChildSpec({ ...this.#overrides(), roster });
  }

  /** This model in place of the parent's. A known `contextWindow` (tokens) spares a model listing. */
  withModel(model: ModelInfo): ChildSpec {
    const { id, provider, contextWindow } = model ?? {};
    if (!isName(id)) throw invalid("model.id", "is not a name");
    if (!isName(provider)) throw invalid("model.provider", "is not a name");
    if (contextWindow === undefined)
      return new ChildSpec({ ...this.#overrides(), model: Object.freeze({ id, provider }) });
    if (!Number.isSafeInteger(contextWindow) || contextWindow < 1) {
      throw invalid("model.contextWindow", "is not a positive whole number of tokens");
    }
    return new ChildSpec({ ...this.#overrides(), model: Object.freeze({ id, provider, contextWindow }) });
  }

  /** This text in place of the parent's whole system prompt; nothing of the host's is added but the subagent instructions. */
  withSystem(system: string): ChildSpec {
    if (typeof system !== "string") throw invalid("system", "is not a text");
    if (LONE_SURROGATE.test(system)) throw invalid("system", "holds a lone surrogate");
    return new ChildSpec({ ...this.#overrides(), system });
  }

  #overrides(): Overrides {
    const { roster, model, system } = this;
    return { roster, model, system };
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !LONE_SURROGATE.test(value);
}

function invalid(field: string, problem: string): ChildPolicyError<"invalid_spec"> {
  return new ChildPolicyError("invalid_spec", `the child spec's ${field} ${problem}`, {
    details: { field, problem },
  });
}
