import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromCall } from "../src/hook-request.ts";
import { decodeWorkerLine, encodeWorkerRequest } from "../src/node/worker-line.ts";
import { sampleCall } from "../src/testing/index.ts";
import { encodeRequest } from "../src/wire.ts";
import { schemaFile } from "./json-schema-check.ts";

const { isValid } = schemaFile("worker");

describe("hook-worker.schema.json", () => {
  it("accepts the questions that are written and refuses one with a part of it missing", () => {
    const request = encodeRequest(fromCall("pre_tool_use", sampleCall(), { workspace: "/w" }));
    const question = JSON.parse(encodeWorkerRequest("an-id", 4999, request)) as Record<string, unknown>;
    expect(isValid("question", question)).toBe(true);
    for (const key of Object.keys(question)) {
      const { [key]: _removed, ...rest } = question;
      expect(isValid("question", rest)).toBe(false);
    }
    expect(isValid("question", { ...question, request: { hook_schema: 1 } })).toBe(false);
  });

  it("agrees with the decoder about every hello and every answer", () => {
    const lines = fc.record(
      {
        hook_worker: fc.constantFrom(1, 2, "1"),
        id: fc.constantFrom("a", 1),
        decision: fc.constantFrom("allow", "deny", "modify", "replace", "other"),
        input: fc.constantFrom({}, []),
        output: fc.jsonValue({ maxDepth: 1 }),
        reason: fc.constant("because"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(lines, (line) => {
        fc.pre(!JSON.stringify(line).includes("__proto__"));
        const decoded = decodeWorkerLine(Buffer.from(JSON.stringify(line)));
        expect(isValid("hello", line)).toBe(decoded.kind === "hello");
        expect(isValid("answer", line)).toBe(decoded.kind === "answer" && decoded.check.ok);
      }),
      { numRuns: 1000 },
    );
  });
});
