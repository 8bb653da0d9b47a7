import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { narrowToolAccess, readToolAccess, type ToolAccessPolicy } from "../src/tool-access.ts";

const name = fc.constantFrom("read", "write", "run", "constructor");
const policy = fc.option(
  fc.record({ allow: fc.uniqueArray(name), deny: fc.uniqueArray(name) }, { requiredKeys: [] }),
  { nil: undefined },
);
const allows = (rules: ToolAccessPolicy | undefined, tool: string): boolean =>
  (rules?.allow?.includes(tool) ?? true) && !(rules?.deny?.includes(tool) ?? false);

describe("narrowToolAccess", () => {
  it("allows a tool exactly when both policies do", () => {
    // S22
    fc.assert(
      fc.property(policy, policy, name, (left, right, tool) => {
        expect(allows(narrowToolAccess(left, right), tool)).toBe(allows(left, tool) && allows(right, tool));
      }),
    );
  });

  it("keeps the one policy that there is", () => {
    expect(narrowToolAccess(undefined, undefined)).toBeUndefined();
    expect(narrowToolAccess({ deny: ["run"] }, undefined)).toEqual({ deny: ["run"] });
    expect(narrowToolAccess(undefined, { allow: [] })).toEqual({ allow: [] });
  });
});

describe("readToolAccess", () => {
  it("reads what was stored, and refuses to take something else for no policy", () => {
    expect(readToolAccess(undefined)).toBeUndefined();
    expect(readToolAccess(null)).toBeUndefined();
    expect(readToolAccess({ allow: ["a"], deny: [] })).toEqual({ allow: ["a"], deny: [] });
    for (const value of ["run", ["run"], { deny: "run" }, { allow: [1] }])
      expect(() => readToolAccess(value)).toThrow(TypeError);
  });
});
