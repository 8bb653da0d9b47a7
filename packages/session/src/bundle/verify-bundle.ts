import type { BundleSummary } from "./bundle-summary.ts";
import { readBundle, type BundleText, type ReadTerms } from "./read-bundle.ts";

/**
 * Reads a whole bundle, verifies all of it, and tells what it holds. Writes nothing.
 * @throws SessionError `invalid_bundle`, `bundle_newer`, `shape_mismatch`.
 */
export async function verifyBundle<M>(lines: BundleText, terms: ReadTerms<M>): Promise<BundleSummary> {
  let summary: BundleSummary | undefined;
  for await (const step of readBundle(lines, terms)) if (step.type === "end") summary = step.summary;
  return summary!;
}
