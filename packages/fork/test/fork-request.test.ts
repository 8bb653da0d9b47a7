import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isForkError, type ForkError } from "../src/fork-error.ts";
import { digestForkRequest, readForkRequest, RESERVED_LABEL_KEYS } from "../src/fork-request.ts";

const good = { identity: "planner-b", role: "general", labels: { team: "review" }, launchMode: "fresh" };

/** Reads a request as a caller without types would send it. */
function read(source: unknown, spec: unknown, options?: unknown): ReturnType<typeof readForkRequest> {
  return readForkRequest(source as never, spec as never, options as never);
}

function refusalOf(source: unknown, spec: unknown, options?: unknown): ForkError<"invalid_request"> {
  try {
    read(source, spec, options);
  } catch (error) {
    if (isForkError(error, "invalid_request")) return error;
    throw error;
  }
  throw new Error("the request was accepted");
}

const reasonOf = (...request: [unknown, unknown, unknown?]): string => refusalOf(...request).details.reason;

describe("readForkRequest accepts", () => {
  it("a fresh spec with ordinary labels, and fills in the defaults", () => {
    expect(read("planner", good)).toEqual({
      source: "planner",
      child: "planner-b",
      role: "general",
      labels: { team: "review" },
      allowEmpty: false,
      whileRunning: "refuse",
    });
    expect(read("planner", { identity: "b", role: "general" }).labels).toEqual({});
  });

  it("every documented field, and freezes a copy of it", () => {
    const spec = {
      ...good,
      initialMessage: "hello",
      model: "acme/large",
      toolAccessPolicy: { allow: ["read"], deny: ["run"] },
    };
    const signal = new AbortController().signal;
    for (const at of [0, 7, "settled", { messageId: "m" }, { turnId: "t" }]) {
      const options = { at, expect: { revision: 3 }, whileRunning: "settled", idempotencyKey: "k", signal };
      const request = read("planner", spec, { ...options, deadlineMs: 5, allowEmpty: true });
      expect(request).toMatchObject({ at, expect: { revision: 3 }, model: "acme/large" });
      expect(Object.isFrozen(request.toolAccessPolicy?.allow)).toBe(true);
    }
  });

  it("a source in either spelling, as the same public alias", () => {
    expect(read("mk--a__b_cc", good).source).toBe("a_b:c");
    expect(read("a_b:c", good).source).toBe("a_b:c");
    expect(read(" planner ", good).source).toBe("planner");
  });
});

describe("readForkRequest refuses", () => {
  it.each(RESERVED_LABEL_KEYS)("the label %s, which the runtime writes", (key) => {
    // F1
    expect(RESERVED_LABEL_KEYS).toContain("agent_identity");
    const error = refusalOf("planner", { ...good, labels: { team: "x", [key]: "y" } });
    expect(error.details).toEqual({ reason: "reserved_label", field: `spec.labels.${key}` });
  });

  it("a launch mode other than fresh, saying what fork mode is", () => {
    // F2
    for (const launchMode of ["fork", "resume", { fork: {} }, null]) {
      const error = refusalOf("planner", { ...good, launchMode });
      expect(error.details.reason).toBe("launch_mode");
      expect(error.message).toContain("leave launchMode at `fresh`");
      expect(error.message).toContain("`fork` mode is the prompt helper");
    }
  });

  it("a blank child and a blank source, told apart", () => {
    // F3, F4
    for (const blank of ["", "  ", "\t\n"]) {
      expect(reasonOf("planner", { ...good, identity: blank })).toBe("blank_child");
      expect(reasonOf(blank, good)).toBe("blank_source");
    }
    expect(reasonOf("mk--", good)).toBe("blank_source");
    expect(refusalOf("", good).message).not.toBe(refusalOf("planner", { ...good, identity: "" }).message);
  });

  it("unknown fields, wherever they stand", () => {
    // F5
    expect(refusalOf("planner", { ...good, constructor: 1 }).details).toEqual({
      reason: "unknown_field",
      field: "spec.constructor",
    });
    expect(reasonOf("planner", { ...good, tools: [] })).toBe("unknown_field");
    expect(reasonOf("planner", good, { atEnd: true })).toBe("unknown_field");
    expect(reasonOf("planner", good, JSON.parse('{"__proto__": 1}'))).toBe("unknown_field");
    expect(reasonOf("planner", { ...good, toolAccessPolicy: { only: ["a"] } })).toBe("wrong_type");
    expect(reasonOf("planner", good, { at: { messageId: "m", turnId: "t" } })).toBe("wrong_type");
    expect(reasonOf("planner", good, { expect: { rev: 1 } })).toBe("wrong_type");
  });

  it("a child in the encoded spelling", () => {
    // F6
    for (const identity of ["mk--a_cb", "mk--planner", " mk--x", "mk--"])
      expect(reasonOf("planner", { ...good, identity })).toBe("encoded_name");
    expect(read("planner", { ...good, identity: "mk-x" }).child).toBe("mk-x");
  });

  it("a child that is a generated alias, in either spelling", () => {
    // F7
    expect(reasonOf("planner", { ...good, identity: "rt:review:0" })).toBe("generated_name");
    expect(reasonOf("planner", { ...good, identity: "rt:anything" })).toBe("generated_name");
    expect(reasonOf("planner", { ...good, identity: "mk--rt_creview_c0" })).toBe("encoded_name");
    expect(read("planner", { ...good, identity: "review:0" }).child).toBe("review:0");
  });

  it("placement, saying why", () => {
    // F9
    const error = refusalOf("planner", { ...good, placement: { host: "b" } });
    expect(error.details.reason).toBe("placement");
    expect(error.message).toContain("where its source's store is");
  });

  it("a child name that belongs to flows", () => {
    // F11
    for (const identity of ["__flow", "__flow_step", "flow:build"])
      expect(reasonOf("planner", { ...good, identity })).toBe("flow_name");
    expect(read("planner", { ...good, identity: "flow-reviewer" }).child).toBe("flow-reviewer");
  });

  it("values of the wrong type, naming the field", () => {
    // F12
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const specs = [
      { identity: 3 },
      { role: null },
      { role: " " },
      { labels: { a: 1 } },
      { labels: [] },
      { model: "" },
      { initialMessage: "" },
      { initialMessage: { at: Number.NaN } },
      { toolAccessPolicy: { allow: "read" } },
      { toolAccessPolicy: { deny: [""] } },
      { identity: "\ud800" },
      { identity: "nul\0" },
      { identity: "x".repeat(513) },
      { labels: { "": "x" } },
      { labels: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`l${index}`, ""])) },
      { initialMessage: { role: "user", content: "\ud800" } },
      { initialMessage: cyclic },
    ];
    for (const change of specs) {
      const error = refusalOf("planner", { ...good, ...change });
      expect(error.details.field).toBe(`spec.${Object.keys(change)[0]}`);
    }
    const options = [
      { at: -1 },
      { at: 1.5 },
      { at: "end" },
      { at: {} },
      { at: { messageId: "" } },
      { expect: {} },
      { expect: { revision: "3" } },
      { allowEmpty: 1 },
      { whileRunning: "wait" },
      { idempotencyKey: "" },
      { idempotencyKey: "k".repeat(257) },
      { identityAuthority: {} },
      { signal: {} },
      { deadlineMs: 0 },
      { deadlineMs: Number.POSITIVE_INFINITY },
      { deadlineMs: 2 ** 31 },
    ];
    for (const change of options)
      expect(refusalOf("planner", good, change).details.field).toBe(`options.${Object.keys(change)[0]}`);
    for (const spec of [undefined, null, 3, [], "planner-b"])
      expect(reasonOf("planner", spec)).toBe("wrong_type");
    expect(reasonOf(undefined, good)).toBe("wrong_type");
  });

  it("all of it as something to fix, before anything was written, without structured data", () => {
    // F13
    const refusals = [
      refusalOf("planner", { ...good, placement: 1 }),
      refusalOf("", good),
      refusalOf("planner", { ...good, labels: { agent_identity: "x" } }),
      refusalOf("planner", good, { at: -1 }),
    ];
    for (const error of refusals) {
      expect(error).toMatchObject({ kind: "invalid_request", retry: "after_fix", committed: false });
      expect(error.structuredData()).toBeUndefined();
    }
  });

  it("or reads any spec whatever, and never throws anything else", () => {
    const key = fc.constantFrom(
      "identity",
      "role",
      "labels",
      "launchMode",
      "model",
      "placement",
      "x",
      "__proto__",
    );
    fc.assert(
      fc.property(
        fc.anything(),
        fc.dictionary(key, fc.anything()),
        fc.anything(),
        (source, spec, options) => {
          let outcome = "accepted";
          try {
            read(source, { ...good, ...spec }, options);
          } catch (error) {
            outcome = isForkError(error, "invalid_request") ? "refused" : String(error);
          }
          expect(["accepted", "refused"]).toContain(outcome);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("digestForkRequest", () => {
  it("is the same for the same request in another spelling, and differs with any part of the body", () => {
    const digest = digestForkRequest(read("a:b", good));
    expect(digestForkRequest(read("mk--a_cb", { ...good }, { deadlineMs: 9, idempotencyKey: "k" }))).toBe(
      digest,
    );
    const others = [
      read("a:c", good),
      read("a:b", { ...good, role: "other" }),
      read("a:b", { ...good, labels: {} }),
      read("a:b", { ...good, model: "acme/x" }),
      read("a:b", good, { at: 3 }),
      read("a:b", good, { whileRunning: "settled" }),
    ];
    expect(new Set([digest, ...others.map(digestForkRequest)]).size).toBe(others.length + 1);
  });
});
