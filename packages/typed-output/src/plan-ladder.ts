import { sha256 } from "@basis/core";
import { contentText } from "./content-text.ts";
import type { LadderMemory, RefusedStep } from "./ladder-memory.ts";
import { ladderKey, rungsFor, type LadderStep, type Rung } from "./ladder.ts";
import type { OutputSpec } from "./output-spec.ts";
import type { ModelCapabilities } from "./turn-runner.ts";

/** The ways of asking that are left for a run, the first to be tried first. */
export interface Ladder {
  readonly rungs: readonly Rung[];
  /** Those that were refused lately. */
  readonly skipped: readonly Rung[];
  /** False where the provider's strict mode was refused lately. */
  readonly mayBeStrict: boolean;
}

/** What decides over a ladder. */
export interface LadderPlan {
  readonly capabilities: ModelCapabilities;
  readonly memory: LadderMemory;
  /** One way of asking and no other. */
  readonly strategy: Rung | undefined;
}

/** One odd schema tells nothing of the next one; as many as this tell of the model. */
const SEVERAL = 3;

const none: readonly never[] = Object.freeze([]);

/** The ways of asking that are left, or why there are none. */
export function planLadder(
  spec: OutputSpec<unknown>,
  { capabilities, memory, strategy }: LadderPlan,
): Ladder | { readonly hint: string } {
  if (spec.keepsTools && !capabilities.tools)
    return { hint: "the model has no tools; ask without withTools()" };
  const able = rungsFor(capabilities);
  const refused = stepsAgainst(memory.refused(ladderKey(capabilities)), spec);
  const mayBeStrict = !refused.includes("strict");
  if (strategy !== undefined) {
    if (able.includes(strategy)) return { rungs: [strategy], skipped: none, mayBeStrict };
    return { hint: `the model cannot do '${strategy}'; it can do ${able.join(", ")}` };
  }
  const left = refused.length === 0 ? able : able.filter((rung) => !refused.includes(rung));
  const rungs = left.length > 0 ? left : able.slice(-1);
  const skipped = rungs === able ? none : able.filter((rung) => !rungs.includes(rung));
  return { rungs, skipped, mayBeStrict };
}

/** What is to be remembered of a refusal: a schema's holds for that schema. */
export function refusedStep(
  spec: OutputSpec<unknown>,
  { step, part }: { readonly step: LadderStep; readonly part: "tool_choice" | "schema" },
): RefusedStep {
  return part === "schema" ? { step, schema: schemaDigest(spec) } : { step };
}

function stepsAgainst(refused: readonly RefusedStep[], spec: OutputSpec<unknown>): readonly LadderStep[] {
  if (refused.length === 0) return none;
  const applies = ({ step, schema }: RefusedStep): boolean =>
    schema === undefined ||
    schema === schemaDigest(spec) ||
    refused.filter((other) => other.step === step).length >= SEVERAL;
  return refused.filter(applies).map(({ step }) => step);
}

const digests = new WeakMap<object, string>();

/** Of the schema as the caller wrote it. */
function schemaDigest({ schema }: OutputSpec<unknown>): string {
  const known = typeof schema === "object" ? digests.get(schema) : undefined;
  if (known !== undefined) return known;
  const digest = sha256(contentText(schema));
  if (typeof schema === "object") digests.set(schema, digest);
  return digest;
}
