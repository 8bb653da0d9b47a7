import { anthropicShape, type AnthropicMessage } from "@mobkit/session/shapes";
import { describe, expect, test } from "vitest";
import { answer, betaTranscript, serverTranscript, toolTranscript } from "./anthropic-fixture.ts";
import { openAfterEach, refusal } from "./transcript.ts";

const inspect = (message: unknown): unknown => anthropicShape.inspect(message as AnthropicMessage);

const use = { type: "tool_use", id: "a", name: "look", input: {} };
const result = { type: "tool_result", tool_use_id: "a" };

describe("Anthropic's messages", () => {
  test.each([
    ["with tools of the caller", toolTranscript],
    ["with tools of the provider", serverTranscript],
    ["of the beta API", betaTranscript],
  ])("%s are appended, and open what they call until it is answered", async (_, transcript) => {
    const messages: readonly AnthropicMessage[] = transcript.map(({ message }) => message);
    expect(await openAfterEach(anthropicShape, messages)).toEqual(transcript.map(({ open }) => open));
  });

  test("are taken as the API answers them", async () => {
    expect(await openAfterEach(anthropicShape, [answer])).toEqual([["call:toolu_7"]]);
  });

  test("tell their kind: a user's message with results is a tool's", () => {
    const kinds = toolTranscript.map(({ message }) => (inspect(message) as { kind: string }).kind);
    expect(kinds.join(" ")).toBe("system user assistant tool assistant tool tool assistant user");
  });

  test("with a call of the provider that waits may be followed by what works for it alone", async () => {
    const paused: AnthropicMessage = { role: "assistant", content: [{ ...use, type: "server_tool_use" }] };
    const next = (tool_id: string): AnthropicMessage => ({
      role: "assistant",
      content: [Object.assign({ ...use, id: "b" }, { caller: { type: "code_execution_20250825", tool_id } })],
    });
    expect(await refusal(anthropicShape, paused, next("a"))).toBe("appended");
    expect(await refusal(anthropicShape, paused, next("c"))).toBe("open_calls");
    expect(await refusal(anthropicShape, paused, { role: "user", content: "And?" })).toBe("open_calls");
  });

  test("of blocks that it doesn't know are left as they are", () => {
    const content = [{ type: "something_new", id: "a", tool_use_id: "a" }];
    expect(inspect({ role: "assistant", content })).toEqual({ kind: "assistant", opens: [], closes: [] });
  });

  test.each([
    [null, "role: is none of user, assistant, system"],
    [{ role: "tool", content: "" }, "role: is none of user, assistant, system"],
    [{ role: "user" }, "content: is neither a text nor a list of parts"],
    [{ role: "user", content: [1] }, "content/0: is no object"],
    [{ role: "user", content: [{}] }, "content/0: type is missing"],
    [{ role: "user", content: [use] }, "content/0: a user message holds no tool_use"],
    [{ role: "system", content: [result] }, "content/0: a system message holds no tool_result"],
    [
      { role: "user", content: [{ ...result, type: "mcp_tool_result" }] },
      "content/0: a user message holds no mcp_tool_result",
    ],
    [{ role: "assistant", content: [result] }, "content/0: an assistant message holds no tool_result"],
    [{ role: "assistant", content: [{ type: "tool_use" }] }, "content/0: id is missing"],
    [{ role: "assistant", content: [use, use] }, "content/1: call:a stands twice"],
    [
      {
        role: "assistant",
        content: [
          { ...use, type: "server_tool_use" },
          { ...result, type: "web_search_tool_result" },
          { ...result, type: "web_search_tool_result" },
        ],
      },
      "content/2: call:a stands twice",
    ],
    [{ role: "user", content: [{ type: "tool_result" }] }, "content/0: tool_use_id is missing"],
    [{ role: "user", content: [result, result] }, "content/1: call:a stands twice"],
    [
      { role: "assistant", content: [{ ...use, caller: { type: "code_execution_20250825", tool_id: 7 } }] },
      "content/0/caller: tool_id is missing",
    ],
  ])("that are none are told which field is wrong: %j", (message, problem) => {
    expect(inspect(message)).toEqual({ problem });
  });
});
