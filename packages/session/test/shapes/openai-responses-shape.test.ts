import { openAiResponsesShape, type OpenAiResponseEntry } from "@mobkit/session/shapes";
import { describe, expect, test } from "vitest";
import {
  actionTranscript,
  executedOutput,
  programTranscript,
  responseTranscript,
} from "./openai-responses-fixture.ts";
import { openAfterEach, refusal } from "./transcript.ts";

const inspect = (entry: unknown): unknown => openAiResponsesShape.inspect(entry as OpenAiResponseEntry);

const call = { type: "function_call", call_id: "a", name: "look", arguments: "{}" };
const output = { type: "function_call_output", call_id: "a", output: "" };
const says = { role: "user", content: "And?" };

describe("OpenAI's response items", () => {
  test.each([
    ["of whole responses", responseTranscript],
    ["one by one", actionTranscript],
    ["of a program", programTranscript],
  ])("%s are appended, and open what they call until it is answered", async (_, transcript) => {
    const entries: readonly OpenAiResponseEntry[] = transcript.map(({ message }) => message);
    expect(await openAfterEach(openAiResponsesShape, entries)).toEqual(transcript.map(({ open }) => open));
  });

  test("that the provider executes open nothing, together or one by one", async () => {
    expect(await openAfterEach(openAiResponsesShape, [executedOutput, ...executedOutput])).toEqual(
      Array.from({ length: 8 }, () => []),
    );
  });

  test("tell their kind", () => {
    const kinds = responseTranscript.map(({ message }) => (inspect(message) as { kind: string }).kind);
    expect(kinds.join(" ")).toBe("system user assistant tool tool assistant assistant assistant");
    expect(inspect({ type: "compaction_trigger" })).toEqual({ kind: "user", opens: [], closes: [] });
    expect(inspect({ type: "additional_tools", role: "developer", tools: [] })).toEqual({
      kind: "system",
      opens: [],
      closes: [],
    });
  });

  test("with an approval that waits may be followed by its answer alone", async () => {
    const request = { type: "mcp_approval_request", id: "mcpr_1" };
    const response = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
    expect(await refusal(openAiResponsesShape, request, says)).toBe("open_calls");
    expect(await refusal(openAiResponsesShape, request, response)).toBe("appended");
    expect(await refusal(openAiResponsesShape, response)).toBe("unmatched_result");
  });

  test("of one response that were split are refused at the second call", async () => {
    expect(await refusal(openAiResponsesShape, call, { ...call, call_id: "b" })).toBe("open_calls");
    expect(await refusal(openAiResponsesShape, [call, { ...call, call_id: "b" }])).toBe("appended");
  });

  test("of a call kind that is yet to come are read by their names", () => {
    expect(inspect({ type: "robot_call", call_id: "a" })).toMatchObject({ opens: ["call:a"] });
    expect(inspect({ type: "robot_call_output", call_id: "a" })).toMatchObject({ closes: ["call:a"] });
  });

  test.each([
    [null, "is no item"],
    ["hello", "is no item"],
    [[], "it holds no item"],
    [[says, 7], "1: is no item"],
    [{}, "type: item_reference refers to an item that the transcript doesn't hold"],
    [{ id: "msg_1" }, "type: item_reference refers to an item that the transcript doesn't hold"],
    [
      [{ type: "item_reference", id: "a" }],
      "0/type: item_reference refers to an item that the transcript doesn't hold",
    ],
    [{ type: "tune" }, "type: tune is no item's"],
    [{ type: 7 }, "type: is no text"],
    [{ role: "bard", content: "la" }, "role: is none of system, developer, user, assistant"],
    [{ role: "user" }, "content: is neither a text nor a list of parts"],
    [[{ role: "user", content: [{}] }], "0/content/0: type is missing"],
    [{ type: "function_call", id: "fc_1" }, "call_id is missing"],
    [[call, call], "1: call:a stands twice"],
    [[output, call], "1: call:a stands twice"],
    [{ type: "function_call_output" }, "call_id is missing"],
    [{ type: "mcp_approval_request" }, "id is missing"],
    [{ type: "mcp_approval_response", id: "a" }, "approval_request_id is missing"],
    [{ ...call, caller: { type: "program" } }, "caller: caller_id is missing"],
    [[call, says], "one entry holds items of the assistant and of others"],
  ])("that are none are told which field is wrong: %j", (entry, problem) => {
    expect(inspect(entry)).toEqual({ problem });
  });
});
