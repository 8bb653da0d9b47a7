import { BasisError, isBasisError } from "@basis/core";
import { describe, expect, it } from "vitest";
import { ApprovalError } from "../src/index.ts";

describe("ApprovalError.is", () => {
  it("knows its own errors, also those of a second copy of the package, and no others", () => {
    const error = new ApprovalError("invalid_option", "it broke", {
      details: { option: "store", problem: "is odd" },
    });
    expect(ApprovalError.is(error)).toBe(true);
    const Copy = class extends BasisError {
      override readonly name: string = "ApprovalError";
    };
    expect(ApprovalError.is(new Copy("invalid_option", "it broke"))).toBe(true);
    expect(ApprovalError.is(new BasisError("invalid_option", "it broke"))).toBe(false);
    expect(ApprovalError.is(Object.assign(new Error("it broke"), { name: "ApprovalError" }))).toBe(false);
    expect(isBasisError(error, "ApprovalError")).toBe(true);
  });
});
