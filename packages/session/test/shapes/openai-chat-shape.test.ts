import type { OpenAI } from "openai";
import { openAiChatShape, type OpenAiChatMessage } from "@mobkit/session/shapes";
import { describe, expect, test } from "vitest";
import { chatAnswers, chatTranscript, functionTranscript } from "./openai-chat-fixture.ts";
import { openAfterEach, refusal } from "./transcript.ts";

const inspect = (message: unknown): unknown => openAiChatShape.inspect(message as OpenAiChatMessage);

const call = { id: "a", type: "function", function: { name: "look", arguments: "{}" } };

describe("OpenAI's chat messages", () => {
  test.each([
    ["of today", chatTranscript],
    ["with functions", functionTranscript],
    ["as they are answered", chatAnswers],
  ])("%s are appended, and open what they call until it is answered", async (_, transcript) => {
    const messages: readonly OpenAiChatMessage[] = transcript.map(({ message }) => message);
    expect(await openAfterEach(openAiChatShape, messages)).toEqual(transcript.map(({ open }) => open));
  });

  test("tell their kind", () => {
    const kinds = [...chatTranscript, ...functionTranscript].map(
      ({ message }) => (inspect(message) as { kind: string }).kind,
    );
    expect(kinds.join(" ")).toBe(
      "system system user assistant tool tool tool assistant assistant user " +
        "user assistant tool assistant tool assistant",
    );
  });

  test("with a call that waits may be followed by its result alone", async () => {
    const asked: OpenAI.Chat.ChatCompletionMessageParam[] = [
      { role: "assistant", tool_calls: [{ ...call, type: "function" }] },
    ];
    expect(await refusal(openAiChatShape, ...asked, { role: "user", content: "And?" })).toBe("open_calls");
    expect(await refusal(openAiChatShape, ...asked, { role: "tool", tool_call_id: "b", content: "" })).toBe(
      "unmatched_result",
    );
    expect(await refusal(openAiChatShape, ...asked, { role: "tool", tool_call_id: "a", content: "" })).toBe(
      "appended",
    );
  });

  test.each([
    [null, "role: is none of system, developer, user, assistant, tool, function"],
    [[], "role: is none of system, developer, user, assistant, tool, function"],
    [{ role: "constructor" }, "role: is none of system, developer, user, assistant, tool, function"],
    [{ role: "user" }, "content: is neither a text nor a list of parts"],
    [{ role: "user", content: null }, "content: is neither a text nor a list of parts"],
    [{ role: "tool", content: null, tool_call_id: "a" }, "content: is neither a text nor a list of parts"],
    [{ role: "user", content: ["a"] }, "content/0: is no object"],
    [{ role: "user", content: [{ text: "a" }] }, "content/0: type is missing"],
    [{ role: "user", content: "", tool_calls: [call] }, "tool_calls: a user message calls nothing"],
    [{ role: "tool", content: "", function_call: {} }, "function_call: a tool message calls nothing"],
    [{ role: "assistant", tool_calls: {} }, "tool_calls: is no list"],
    [{ role: "assistant", tool_calls: [null] }, "tool_calls/0: is no object"],
    [{ role: "assistant", tool_calls: [call, { type: "function" }] }, "tool_calls/1: id is missing"],
    [{ role: "assistant", tool_calls: [call, call] }, "tool_calls/1: call:a stands twice"],
    [{ role: "assistant", function_call: { arguments: "{}" } }, "function_call: name is missing"],
    [{ role: "tool", content: "" }, "tool_call_id is missing"],
    [{ role: "function", content: "" }, "name is missing"],
  ])("that are none are told which field is wrong: %j", (message, problem) => {
    expect(inspect(message)).toEqual({ problem });
  });

  test("with nothing where a list may be are left as they are", () => {
    const message = { role: "assistant", content: null, tool_calls: null, function_call: null };
    expect(inspect(message)).toEqual({ kind: "assistant", opens: [], closes: [] });
  });
});
