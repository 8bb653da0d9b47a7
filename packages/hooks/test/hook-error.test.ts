import { BasisError, isBasisError } from "@basis/core";
import { describe, expect, it } from "vitest";
import { HookError } from "../src/index.ts";

describe("HookError.is", () => {
  it("knows its own errors, also those of a second copy of the package, and no others", () => {
    const error = new HookError("invalid_workspace", "it broke", { details: { workspace: "/w" } });
    expect(HookError.is(error)).toBe(true);
    const Copy = class extends BasisError {
      override readonly name: string = "HookError";
    };
    expect(HookError.is(new Copy("invalid_workspace", "it broke"))).toBe(true);
    expect(HookError.is(new BasisError("invalid_workspace", "it broke"))).toBe(false);
    expect(HookError.is(Object.assign(new Error("it broke"), { name: "HookError" }))).toBe(false);
    expect(isBasisError(error, "HookError")).toBe(true);
  });
});
