import type { LedgerEntry } from "./ledger.ts";
import type { LoweredSchema } from "./lowering/index.ts";
import type { OutputSpec } from "./output-spec.ts";

/** A spec as a model is shown it. */
export interface Shown<T> {
  readonly spec: OutputSpec<T>;
  readonly lowering?: LoweredSchema;
}

/** Why a spec cannot be asked for as it is shown; undefined when it can. */
export function refusalOf(
  { spec, lowering }: Shown<unknown>,
  loss: "allow" | "refuse" = "allow",
): string | undefined {
  const [unsaid] = lowering?.unsupported ?? [];
  if (unsaid) return `${unsaid.message} (at ${unsaid.pointer}), which the provider does not take`;
  const lost = loss === "refuse" ? spec.ledger.filter(isLoss) : [];
  const [first] = lost;
  if (!first) return undefined;
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : "";
  return `loss is refused: ${first.keyword} at ${first.pointer} was ${first.action}${more}`;
}

/** A wrapped root and an added type lose nothing. */
function isLoss({ action }: LedgerEntry): boolean {
  return action !== "wrapped" && action !== "added";
}
