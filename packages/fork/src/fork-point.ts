import type { ForkPoint, ForkPointRequest, SessionErrorDetails } from "@mobkit/session";
import { ForkError } from "./fork-error.ts";

/** What the caller has seen of the source; a difference refuses with `fork_boundary` `revision_changed`. */
export interface ForkExpectation {
  /** The digest of the prefix that the fork is to begin with. */
  readonly digest?: string;
  /** The source session's `rev`. */
  readonly revision?: number;
}

/** The part of a request that says where and under which conditions to fork. */
export interface PointOptions {
  readonly at?: ForkPoint;
  readonly expect?: ForkExpectation;
  readonly allowEmpty: boolean;
  readonly whileRunning: "refuse" | "settled";
}

/** The request as the store judges it, inside its transaction. */
export function toPointRequest(source: ForkPointRequest["source"], options: PointOptions): ForkPointRequest {
  const { at, expect, allowEmpty, whileRunning } = options;
  return {
    source,
    at,
    expect: expect && { digest: expect.digest, rev: expect.revision },
    allowEmpty,
    whileRunning,
  };
}

type BoundaryDetails = SessionErrorDetails["fork_boundary"];

/** The refusal of a boundary, with the lengths that would do. */
export function boundaryError(
  details: BoundaryDetails,
  options: PointOptions,
  cause?: unknown,
): ForkError<"fork_boundary"> {
  return new ForkError("fork_boundary", describeBoundary(details, options), { details, cause });
}

function describeBoundary(details: BoundaryDetails, { at }: PointOptions): string {
  const { len } = details;
  switch (details.reason) {
    case "out_of_range":
      return `cannot fork at ${String(details.at)}: the source has ${len} messages`;
    case "split":
      return describeSplit(details, at);
    case "empty":
      return "the fork would begin with no message: set allowEmpty to allow that";
    case "revision_changed":
      return "the source is no longer what the request expects: read it again";
    case "unknown_message":
      return `the source has no message ${describePoint(at)}`;
    case "unknown_turn":
      return `the source has no turn ${describePoint(at)}`;
    default:
      return `cannot fork there: ${String(details.reason)}`;
  }
}

function describeSplit(details: BoundaryDetails, asked: ForkPoint | undefined): string {
  const { at, nearestBefore, nearestAfter, settledLen } = details;
  if (asked === undefined) return `the source ends in an open call: its settled length is ${settledLen}`;
  const places = [nearestBefore, nearestAfter].filter((length) => length !== null).join(" and ");
  return `forking at ${String(at)} would split a call from its result: legal counts nearby are ${places}`;
}

function describePoint(at: ForkPoint | undefined): string {
  return typeof at === "object" ? JSON.stringify(Object.values(at)[0]) : String(at);
}
