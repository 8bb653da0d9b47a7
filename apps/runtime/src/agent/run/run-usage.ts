import { addUsage, emptyUsage, type TokenUsage } from "@basis/core";
import type { EventData } from "../../events/event-schema.ts";

/** Usage as events spell it. */
export type WireUsage = EventData<"usage">["usage"];

/** Usage of one run and of the runs below it. */
export class RunUsage {
  #self: TokenUsage = emptyUsage;
  #subtree: TokenUsage = emptyUsage;
  #complete = true;

  get self(): TokenUsage {
    return this.#self;
  }

  get subtree(): TokenUsage {
    return this.#subtree;
  }

  /** Adds a model round of this run; `undefined` when a failed round did not tell. */
  addRound(usage: TokenUsage | undefined): void {
    if (usage === undefined) {
      this.#complete = false;
      return;
    }
    this.#self = addUsage(this.#self, usage);
    this.#subtree = addUsage(this.#subtree, usage);
  }

  /** Adds all that a child and its own children used. */
  addChild(child: RunUsage): void {
    this.#subtree = addUsage(this.#subtree, child.#subtree);
    this.#complete &&= child.#complete;
  }

  toEvent(): EventData<"run_finished">["usage"] {
    return { self: wireUsage(this.#self), subtree: wireUsage(this.#subtree), complete: this.#complete };
  }
}

/** The wire form of a usage. */
export function wireUsage(usage: TokenUsage): WireUsage {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    reasoning_tokens: usage.reasoningTokens,
  };
}
