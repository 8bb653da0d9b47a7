import { BasisError, isBasisError } from "@basis/core";
import { describe, expect, it } from "vitest";
import { ChildPolicyError, SpawnInputError } from "../src/index.ts";

describe("ChildPolicyError.is", () => {
  it("knows its own errors, also those of a second copy of the package, and no others", () => {
    const error = new ChildPolicyError("agent_active", "it broke", { details: { agentId: "a" } });
    expect(ChildPolicyError.is(error)).toBe(true);
    const Copy = class extends BasisError {
      override readonly name: string = "ChildPolicyError";
    };
    expect(ChildPolicyError.is(new Copy("agent_active", "it broke"))).toBe(true);
    expect(ChildPolicyError.is(new BasisError("agent_active", "it broke"))).toBe(false);
    expect(ChildPolicyError.is(Object.assign(new Error("it broke"), { name: "ChildPolicyError" }))).toBe(
      false,
    );
    expect(isBasisError(error, "ChildPolicyError")).toBe(true);
  });

  it("covers the error of a spawn input, which has a name of its own", () => {
    const error = new SpawnInputError("empty", "write the task");
    expect(error.name).toBe("SpawnInputError");
    expect(ChildPolicyError.is(error)).toBe(true);
    expect(isBasisError(error, "SpawnInputError")).toBe(true);
  });
});
