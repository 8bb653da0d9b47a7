import type { ModelCapabilities } from "./turn-runner.ts";

/**
 * The ways of asking a model for the answer, the strictest first.
 * `tool`: the terminal tool forced by name; `required`: any tool, with only that one offered;
 * `native`: text held to the schema by the provider; `auto`: only that tool and an instruction;
 * `prompted`: text, the schema in the instruction.
 */
export type Rung = "tool" | "required" | "native" | "auto" | "prompted";

/** What a refusal can take away: a way of asking, or the provider's strict mode in all of them. */
export type LadderStep = Rung | "strict";

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

/** Under which key a model's refusals are remembered: provider, endpoint and model. */
export function ladderKey({ model, endpoint = "" }: ModelCapabilities): string {
  return JSON.stringify([model.provider, endpoint, model.id]);
}
