import { systemClock, type Clock } from "@basis/core";
import type { ModelCapabilities } from "./turn-runner.ts";

/**
 * The ways of asking a model for the answer, the strictest first.
 * `tool`: the terminal tool forced by name; `required`: any tool, with only that one offered;
 * `native`: text held to the schema by the provider; `auto`: only that tool and an instruction;
 * `prompted`: text, the schema in the instruction.
 */
export type Rung = "tool" | "required" | "native" | "auto" | "prompted";

/** Every rung, in the order in which they are tried. */
export const RUNGS: readonly Rung[] = ["tool", "required", "native", "auto", "prompted"];

/** What a provider said against a request. */
export interface ProviderRefusal {
  /** The HTTP status, where there was one. */
  readonly status?: number;
  readonly message: string;
  /** The parameter the provider names, where it names one. */
  readonly param?: string;
}

/** The part of a request that a refusal names. */
export type RefusedPart = "tool_choice" | "schema";

const STATUSES = new Set([400, 404, 405, 409, 422, 501]);
const CHOICE =
  /tool[_ -]?choice|function[_ -]?call(ing)?[_ -]?(config|mode)|forc(e|ed|ing)\b.*\btool|tool use.*forc/i;
const SCHEMA =
  /schema|strict|response[_ -]?(format|json)|output[_ -]?(config|format)|structured[_ -]?output|json[_ -]?mode|grammar|too many states|text\.format/i;

/** What a refusal names: the tool choice, or the schema (strictness and format included); undefined for anything else. */
export function refusedPart(refusal: ProviderRefusal): RefusedPart | undefined {
  if (refusal.status !== undefined && !STATUSES.has(refusal.status)) return undefined;
  const text = `${refusal.param ?? ""} ${refusal.message}`;
  if (CHOICE.test(text)) return "tool_choice";
  return SCHEMA.test(text) ? "schema" : undefined;
}

/** The rungs a model can stand on, by what is known of it. */
export function rungsFor(capabilities: ModelCapabilities): readonly Rung[] {
  const { tools, forced, native, thinking } = capabilities;
  const mayForce = tools && !(thinking?.enabled === true && !thinking.allowsForcing);
  const able: Readonly<Record<Rung, boolean>> = {
    tool: mayForce && forced === "named",
    required: mayForce && forced !== "none",
    native: native !== "none",
    auto: tools,
    prompted: true,
  };
  return RUNGS.filter((rung) => able[rung]);
}

/** True for a rung whose request carries the schema in the same place as another: as a tool's, as a format. */
export function sharesSchemaPlace(left: Rung, right: Rung): boolean {
  return placeOf(left) === placeOf(right);
}

function placeOf(rung: Rung): "tool" | "format" | "text" {
  if (rung === "native") return "format";
  return rung === "prompted" ? "text" : "tool";
}

/** Remembers which ways of asking a model refused, for a while. A port: a host may keep it anywhere. */
export interface LadderMemory {
  refused(key: string): readonly Rung[];
  remember(key: string, rung: Rung): void;
}

/** The bounds of a memory. */
export interface LadderMemoryOptions {
  /** How long a refusal is believed. Default 6 hours. */
  readonly ttlMs?: number;
  /** Most models remembered. Default 1,000; the oldest goes first. */
  readonly maxModels?: number;
  readonly clock?: Clock;
}

/** Under which key a model's refusals are remembered: provider, endpoint and model. */
export function ladderKey({ model, endpoint = "" }: ModelCapabilities): string {
  return JSON.stringify([model.provider, endpoint, model.id]);
}

/** A memory in this process. */
export function createLadderMemory(options: LadderMemoryOptions = {}): LadderMemory {
  const { ttlMs = 6 * 60 * 60 * 1000, maxModels = 1_000, clock = systemClock } = options;
  const models = new Map<string, Map<Rung, number>>();
  return {
    refused(key) {
      const now = clock.monotonicMs();
      return [...(models.get(key) ?? [])].filter(([, until]) => until > now).map(([rung]) => rung);
    },
    remember(key, rung) {
      const rungs = models.get(key) ?? new Map<Rung, number>();
      models.delete(key);
      models.set(key, rungs.set(rung, clock.monotonicMs() + ttlMs));
      const [oldest] = models.keys();
      if (models.size > maxModels && oldest !== undefined) models.delete(oldest);
    },
  };
}

let shared: LadderMemory | undefined;

/** The memory that runs use when they are given none. */
export function sharedLadderMemory(): LadderMemory {
  return (shared ??= createLadderMemory());
}
