import { digestJson } from "@basis/core";
import type { OutputSpec } from "@basis/typed-output";

/** A digest by which two typed answers are told to be the same: that of their schema. */
export function outputSchema({ schema }: Pick<OutputSpec<unknown>, "schema">): string {
  return digestJson(schema ?? null);
}
