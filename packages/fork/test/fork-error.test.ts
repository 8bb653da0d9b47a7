import { BasisError } from "@basis/core";
import { describe, expect, it } from "vitest";
import {
  committedForkIsRecoverable,
  ForkError,
  isForkError,
  type ForkErrorDetails,
  type ForkErrorKind,
} from "../src/fork-error.ts";

const EVERY: { readonly [Kind in ForkErrorKind]: ForkErrorDetails[Kind] } = {
  invalid_request: { reason: "blank_child", field: "spec.identity" },
  source_authority: { reason: "stale", sourceMemberId: "rt:a:0" },
  member_already_exists: { memberId: "b", holder: "seated" },
  member_not_found: { memberId: "a" },
  fork_source_unavailable: { sourceMemberId: "a", cause: "running", settledLen: 4 },
  fork_boundary: { reason: "split", at: 3, len: 5, settledLen: 5, nearestBefore: 2, nearestAfter: 4 },
  fork_conflict: { idempotencyKey: "k", operationId: "o" },
  fork_member_provision_failed: { memberId: "b", forkSessionId: "s", operationId: "o", reason: "no host" },
  fork_operation_not_found: { operationId: "o" },
  fork_operation_closed: { operationId: "o", forkSessionId: "s", state: "abandoned" },
  fork_in_progress: { operationId: "o", forkSessionId: "s" },
  fork_cancelled: {},
  fork_deadline_exceeded: { deadlineMs: 5 },
  fork_unavailable: { stage: "read", code: "busy" },
  forks_shut_down: {},
};
const kinds = Object.keys(EVERY) as ForkErrorKind[];
const make = (kind: ForkErrorKind): ForkError => new ForkError(kind, kind, { details: EVERY[kind] });

describe("ForkError", () => {
  it("keeps its cause and is one of these packages' errors", () => {
    const cause = new Error("disk");
    const error = new ForkError("fork_unavailable", "no", { details: { stage: "read" }, cause });
    expect(error).toBeInstanceOf(BasisError);
    expect(error.cause).toBe(cause);
    expect(isForkError(error)).toBe(true);
    expect(isForkError(new BasisError("fork_unavailable", "no"))).toBe(false);
  });

  it.each(kinds)("%s carries kind, retry and committed, and is JSON", (kind) => {
    const error = make(kind);
    expect(error.kind).toBe(error.code);
    expect(["never", "after_fix", "same_request", "resume"]).toContain(error.retry);
    expect(typeof error.committed).toBe("boolean");
    const json: unknown = JSON.parse(JSON.stringify(error));
    expect(json).toMatchObject({ kind, code: kind, retry: error.retry, committed: error.committed });
    const data = error.structuredData();
    expect(data === undefined || JSON.stringify(JSON.parse(JSON.stringify(data)))).toBe(
      data === undefined || JSON.stringify(data),
    );
  });

  it("gives structured data for every kind but the two that are the caller's own", () => {
    const without = kinds.filter((kind) => make(kind).structuredData() === undefined);
    expect(without).toEqual(["invalid_request", "source_authority"]);
  });

  it("tells of recovery in the provision failure alone", () => {
    // F88
    const telling = kinds.filter((kind) =>
      JSON.stringify(make(kind).structuredData() ?? {}).includes("recovery"),
    );
    expect(telling).toEqual(["fork_member_provision_failed"]);
    expect(kinds.filter((kind) => committedForkIsRecoverable(make(kind)))).toEqual(telling);
    expect(make("fork_member_provision_failed").structuredData()).toEqual({
      kind: "fork_member_provision_failed",
      member_id: "b",
      fork_session_id: "s",
      operation_id: "o",
      reason: "no host",
      recovery: "resume_committed_fork_session",
    });
    expect(committedForkIsRecoverable(new Error("x"))).toBe(false);
  });

  it("spells a boundary's facts for the wire", () => {
    expect(make("fork_boundary").structuredData()).toEqual({
      kind: "fork_boundary",
      reason: "split",
      at: 3,
      len: 5,
      settled_len: 5,
      nearest_before: 2,
      nearest_after: 4,
    });
  });

  it("advises by kind and facts", () => {
    const advice = Object.fromEntries(kinds.map((kind) => [kind, make(kind).retry]));
    expect(advice).toMatchObject({
      fork_member_provision_failed: "resume",
      fork_source_unavailable: "same_request",
      fork_operation_closed: "never",
      fork_conflict: "after_fix",
    });
    const archived = { sourceMemberId: "a", cause: "archived" } as const;
    expect(new ForkError("fork_source_unavailable", "", { details: archived }).retry).toBe("after_fix");
    const reasons = ["unowned", "stale", "deleted", "inactive", "contended", "failed"] as const;
    const retries = reasons.map(
      (reason) => new ForkError("source_authority", "", { details: { reason, sourceMemberId: "a" } }).retry,
    );
    expect(retries).toEqual([
      "after_fix",
      "after_fix",
      "never",
      "same_request",
      "same_request",
      "same_request",
    ]);
  });

  it("counts as committed where a child is, or may be, on disk", () => {
    const committed = kinds.filter((kind) => make(kind).committed);
    expect(committed).toEqual(["fork_member_provision_failed", "fork_in_progress"]);
    expect(new ForkError("fork_unavailable", "", { details: { stage: "commit" } }).committed).toBe(true);
  });
});
