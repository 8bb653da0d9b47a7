import type { JsonObject } from "@basis/core";
import { SessionError } from "../session-error.ts";
import type { TranscriptShape } from "../transcript-shape.ts";
import { BundleJudge, type BundleStep } from "./bundle-judge.ts";
import { BundleFlaw, invalidBundle } from "./bundle-flaw.ts";
import { bundleFormat, bundleVersion } from "./bundle-lines.ts";
import { chainLines, parseLine, readLine } from "./line-codec.ts";

/** Lines of text without their breaks, as `exportSession` yields them and `splitLines` finds them. */
export type BundleText = AsyncIterable<string> | Iterable<string>;

/** How a bundle is read. */
export interface ReadTerms<M> {
  readonly shape: TranscriptShape<M>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads and verifies a bundle; its last step is the end. What comes before the end may still turn out to be part of a
 * bundle that is refused.
 * @throws SessionError `invalid_bundle`, `bundle_newer`, `shape_mismatch`.
 */
export async function* readBundle<M>(
  lines: BundleText,
  terms: ReadTerms<M>,
): AsyncGenerator<BundleStep, void, undefined> {
  const place = { line: 0 };
  try {
    yield* readLines(lines, terms, place);
  } catch (error) {
    throw error instanceof BundleFlaw ? invalidBundle(Math.max(place.line, 1), error) : error;
  }
}

async function* readLines<M>(
  lines: BundleText,
  { shape, signal }: ReadTerms<M>,
  place: { line: number },
): AsyncGenerator<BundleStep, void, undefined> {
  const judge = new BundleJudge(shape);
  let digest = "";
  let end: BundleStep | undefined;
  for await (const text of lines) {
    signal?.throwIfAborted();
    place.line += 1;
    const object = parseLine(text);
    if (place.line === 1) refuseOther(object, shape.name);
    for (const step of judge.take(readLine(object), digest)) {
      if (step.type === "end") end = step;
      else yield step;
    }
    digest = chainLines(digest, text);
  }
  if (end === undefined) throw new BundleFlaw("truncated", "", "the end is missing");
  yield end; // only now: nothing may follow it
}

/** Refuses a later version and another format of messages before anything else of the first line is looked at. */
function refuseOther({ type, format, version, shape }: JsonObject, given: string): void {
  if (type !== "bundle" || format !== bundleFormat) return;
  if (typeof version === "number" && version > bundleVersion) {
    throw new SessionError(
      "bundle_newer",
      `the bundle is of version ${version}: this program reads up to ${bundleVersion}`,
      {
        details: { version, supported: bundleVersion },
      },
    );
  }
  if (typeof shape !== "string" || shape === given) return;
  throw new SessionError("shape_mismatch", `the bundle holds messages of shape ${shape}, not ${given}`, {
    details: { stored: shape, given },
  });
}
