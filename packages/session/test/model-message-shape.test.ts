import { modelMessageShape, type ModelMessage } from "@mobkit/session";
import { describe, expect, test } from "vitest";

const inspect = (message: unknown): unknown => modelMessageShape.inspect(message as ModelMessage);
const call = (toolCallId: string): object => ({ type: "tool-call", toolCallId, toolName: "look", input: {} });
const result = (toolCallId: string): object => ({
  type: "tool-result",
  toolCallId,
  toolName: "look",
  output: {},
});

describe("the AI SDK's messages", () => {
  test("with a text as content are accepted for system, user and assistant", () => {
    for (const role of ["system", "user", "assistant"]) {
      expect(inspect({ role, content: "hello" })).toEqual({ kind: role, opens: [], closes: [] });
    }
    expect(inspect({ role: "tool", content: "hello" })).toEqual({
      problem: "a tool message holds no result",
    });
  });

  test("with parts open what they call and close what they answer", () => {
    expect(
      inspect({ role: "assistant", content: [{ type: "text", text: "so" }, call("a"), call("b")] }),
    ).toEqual({
      kind: "assistant",
      opens: ["call:a", "call:b"],
      closes: [],
    });
    expect(inspect({ role: "tool", content: [result("a"), result("b")] })).toEqual({
      kind: "tool",
      opens: [],
      closes: ["call:a", "call:b"],
    });
  });

  test("answered by the provider in the same message leave nothing open", () => {
    const content = [call("a"), result("a"), { type: "text", text: "so" }];
    expect(inspect({ role: "assistant", content })).toEqual({ kind: "assistant", opens: [], closes: [] });
  });

  test("answered by the provider in a later message close the earlier call", () => {
    expect(inspect({ role: "assistant", content: [result("a"), call("b")] })).toEqual({
      kind: "assistant",
      opens: ["call:b"],
      closes: ["call:a"],
    });
  });

  test("keep approvals apart from calls of the same id", () => {
    const request = { type: "tool-approval-request", approvalId: "a", toolCallId: "a" };
    expect(inspect({ role: "assistant", content: [call("a"), request] })).toEqual({
      kind: "assistant",
      opens: ["call:a", "approval:a"],
      closes: [],
    });
    const content = [{ type: "tool-approval-response", approvalId: "a", approved: true }, result("a")];
    expect(inspect({ role: "tool", content })).toEqual({
      kind: "tool",
      opens: [],
      closes: ["approval:a", "call:a"],
    });
  });

  test("of parts that it doesn't know are left as they are", () => {
    const content = [
      { type: "image", image: "data:" },
      { type: "something-new", toolCallId: "a" },
    ];
    expect(inspect({ role: "user", content })).toEqual({ kind: "user", opens: [], closes: [] });
  });

  test.each([
    [null, "role is none of system, user, assistant, tool"],
    [{ role: "bard", content: "la" }, "role is none of system, user, assistant, tool"],
    [{ role: "user" }, "content is neither a text nor a list of parts"],
    [{ role: "system", content: [] }, "a system message holds a text"],
    [{ role: "tool", content: [] }, "a tool message holds no result"],
    [{ role: "user", content: ["a"] }, "content/0: a part is an object with a type"],
    [{ role: "user", content: [call("a")] }, "content/0: a user message holds no tool-call"],
    [{ role: "tool", content: [call("a")] }, "content/0: a tool message holds no tool-call"],
    [{ role: "assistant", content: [call("a"), call("a")] }, "content/1: call:a stands twice"],
    [{ role: "assistant", content: [{ type: "tool-call" }] }, "content/0: toolCallId is missing"],
    [{ role: "assistant", content: [{ type: "tool-approval-request" }] }, "content/0: approvalId is missing"],
  ])("that are none are told why: %j", (message, problem) => {
    expect(inspect(message)).toEqual({ problem });
  });
});
