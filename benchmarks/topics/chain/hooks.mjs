import { own } from "../../harness/places.mjs";
import { callOf, guardsOf, subjectOf } from "./guards.mjs";

/** `createHookChain` with its defaults; `trail: "read"` adds a listener that counts, for whom each record is written. */
export async function open(variant) {
  const { createHookChain } = await own("packages/hooks/dist/index.js");
  let heard = 0;
  const onTrail = variant.trail === "read" ? () => void (heard += 1) : undefined;
  const chain = createHookChain({ workspace: "/w", participants: guardsOf(variant), onTrail });
  return subjectOf((call) => chain.beforeCall(call), callOf(variant));
}
