import type { JsonObject, JsonValue } from "@basis/core";
import { equalJson } from "../interpreter/json-equality.ts";
import type { Codec, LiftIssue } from "./codec.ts";

/** One alternative as the model is shown it. */
export interface LoweredBranch {
  readonly schema: JsonObject;
  readonly codec: Codec;
}

/** How many complaints a lowered schema has about a writing; 0 when it fits. */
export type CountComplaints = (schema: JsonObject, written: JsonValue) => number;

/** A union: the alternative is the first that the writing fits, else the one with the fewest complaints. */
export class UnionCodec implements Codec {
  readonly #branches: readonly LoweredBranch[];
  readonly #count: CountComplaints;

  constructor(branches: readonly LoweredBranch[], count: CountComplaints) {
    this.#branches = branches;
    this.#count = count;
  }

  lower(value: JsonValue): JsonValue | undefined {
    let fitting: JsonValue | undefined;
    for (const { schema, codec } of this.#branches) {
      const written = codec.lower(value);
      if (written === undefined || this.#count(schema, written) > 0) continue;
      const issues: LiftIssue[] = [];
      if (equalJson(this.lift(written, "", issues), value) && issues.length === 0) return written;
      fitting ??= written;
    }
    return fitting;
  }

  lift(written: JsonValue, pointer: string, issues: LiftIssue[]): JsonValue {
    return this.#choose(written).codec.lift(written, pointer, issues);
  }

  place(tokens: readonly string[], written: JsonValue | undefined): readonly string[] {
    return written === undefined ? tokens : this.#choose(written).codec.place(tokens, written);
  }

  #choose(written: JsonValue): LoweredBranch {
    let best = this.#branches[0]!;
    let fewest = Infinity;
    for (const branch of this.#branches) {
      const complaints = this.#count(branch.schema, written);
      if (complaints === 0) return branch;
      if (complaints < fewest) [best, fewest] = [branch, complaints];
    }
    return best;
  }
}
