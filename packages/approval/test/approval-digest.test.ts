import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { approvalDigest } from "../src/index.ts";

const evidence = { callKey: "s/1/0", agent: "main", toolName: "write", input: { a: 1, b: 2 } };

describe("approvalDigest", () => {
  it("does not depend on the order of keys", () => {
    expect(approvalDigest({ ...evidence, input: { b: 2, a: 1 } })).toBe(approvalDigest(evidence));
  });

  it("differs with any value of any part", () => {
    const part = fc.constantFrom("callKey", "agent", "toolName", "cwd", "binding", "toolIdentity");
    fc.assert(
      fc.property(
        part,
        fc.stringMatching(/^[a-z]{1,9}$/),
        fc.stringMatching(/^[a-z]{1,9}$/),
        (name, one, two) => {
          fc.pre(one !== two);
          expect(approvalDigest({ ...evidence, [name]: one })).not.toBe(
            approvalDigest({ ...evidence, [name]: two }),
          );
        },
      ),
    );
  });

  it("never takes one part for another", () => {
    const digests = ["cwd", "binding", "toolIdentity", "preview"].map((name) =>
      approvalDigest({ ...evidence, [name]: "x" }),
    );
    expect(new Set([...digests, approvalDigest(evidence)]).size).toBe(5);
  });

  it("names the part that has no canonical form", () => {
    expect(() => approvalDigest({ ...evidence, cwd: "\ud800" })).toThrow(
      expect.objectContaining({ code: "not_canonical", details: { part: "cwd" } }),
    );
  });
});
