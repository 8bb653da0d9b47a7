import { ForkError, type ForkErrorDetails, type ForkErrorKind } from "@mobkit/fork";
import { describe, expect, it } from "vitest";
import { errorObject } from "../../src/rpc/error-object.ts";
import { rpcCode, type RpcErrorName } from "../../src/rpc/rpc-error.ts";

const boundary = { at: 2, len: 4, settledLen: 4, nearestBefore: 1, nearestAfter: 3 };
type Case = { [Kind in ForkErrorKind]: readonly [Kind, ForkErrorDetails[Kind], RpcErrorName] }[ForkErrorKind];
const cases: readonly Case[] = [
  ["invalid_request", { reason: "blank_child", field: "spec.identity" }, "invalid_params"],
  ["source_authority", { reason: "stale", sourceMemberId: "a" }, "scope"],
  ["member_already_exists", { memberId: "a", holder: "seated" }, "conflict"],
  ["member_not_found", { memberId: "a" }, "not_found"],
  ["fork_source_unavailable", { sourceMemberId: "a", cause: "running", settledLen: 2 }, "busy"],
  ["fork_source_unavailable", { sourceMemberId: "a", cause: "archived", settledLen: 2 }, "unavailable"],
  ["fork_boundary", { ...boundary, reason: "split" }, "split"],
  ["fork_boundary", { ...boundary, reason: "revision_changed" }, "fenced"],
  ["fork_boundary", { ...boundary, reason: "out_of_range" }, "boundary"],
  ["fork_conflict", { idempotencyKey: "k", operationId: "o" }, "conflict"],
  [
    "fork_member_provision_failed",
    { memberId: "a", forkSessionId: "s", operationId: "o", reason: "r" },
    "unseated",
  ],
  ["fork_operation_not_found", { operationId: "o" }, "not_found"],
  ["fork_operation_closed", { operationId: "o", forkSessionId: "s", state: "seated" }, "closed"],
  ["fork_in_progress", { operationId: "o", forkSessionId: "s" }, "busy"],
  ["fork_cancelled", {}, "cancelled"],
  ["fork_deadline_exceeded", { deadlineMs: 5 }, "cancelled"],
  ["fork_unavailable", { stage: "commit", code: "store_unavailable" }, "unavailable"],
  ["fork_unavailable", { stage: "resume", code: "stale_claim" }, "fenced"],
  ["forks_shut_down", {}, "unavailable"],
];

// F116–F118
describe("a fork's refusal on the wire", () => {
  it.each(cases)("keeps kind, retry, committed and structured data of %s %j", (kind, details, name) => {
    const error = new ForkError(kind, "a message", { details: details });
    const object = errorObject(error)!;
    expect(object).toMatchObject({ code: rpcCode[name], message: "a message" });
    const { retry, committed } = error;
    expect(object.data).toMatchObject({ kind, retry, committed });
    expect(object.data["structured_data"]).toEqual(error.structuredData());
    expect(Object.hasOwn(object.data, "structured_data")).toBe(error.structuredData() !== undefined);
    expect(JSON.parse(JSON.stringify(object))).toEqual(object);
  });

  it("names the recovery in that of an unseated fork alone", () => {
    const withRecovery = cases.filter(([kind, details]) =>
      JSON.stringify(errorObject(new ForkError(kind, "m", { details: details }))).includes("recovery"),
    );
    expect(withRecovery.map(([kind]) => kind)).toEqual(["fork_member_provision_failed"]);
  });

  it("has distinct codes for busy, not found, fenced, scope and split, and every code is of its own", () => {
    const names = ["busy", "not_found", "fenced", "scope", "split"] as const;
    expect(new Set(names.map((name) => rpcCode[name])).size).toBe(5);
    expect(new Set(Object.values(rpcCode)).size).toBe(Object.keys(rpcCode).length);
  });
});

it("says nothing of an error that nobody foresaw", () => {
  expect(errorObject(new TypeError("x is undefined"))).toBeUndefined();
  expect(errorObject("a text")).toBeUndefined();
});
