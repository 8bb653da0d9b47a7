import type { StrictParse } from "@basis/core";

/** Why a text is not one JSON document, in words that quote nothing of it, since a model may read them. */
export function describeJsonProblem(refused: Extract<StrictParse, { ok: false }>): string {
  switch (refused.problem) {
    case "duplicate_key":
      return `a key stands twice, at character ${refused.offset + 1}`;
    case "prototype_key":
      return `a key is not accepted, at character ${refused.offset + 1}`;
    default:
      return refused.message;
  }
}
