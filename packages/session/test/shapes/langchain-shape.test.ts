import {
  AIMessage,
  HumanMessage,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { isSessionError } from "@mobkit/session";
import { langChainShape, type LangChainMessage, type StoredLangChainMessage } from "@mobkit/session/shapes";
import { describe, expect, test } from "vitest";
import {
  invalidTranscript,
  providerTranscript,
  serialised,
  stored,
  toolTranscript,
} from "./langchain-fixture.ts";
import { openAfterEach, refusal, session } from "./transcript.ts";

const inspect = (message: unknown): unknown => langChainShape.inspect(message as LangChainMessage);

const of = (type: string, data: object): object => ({ type, data: { content: "", ...data } });

describe("LangChain's messages", () => {
  describe.each([
    ["with tools", toolTranscript],
    ["with calls that are no JSON", invalidTranscript],
    ["with tools of a provider", providerTranscript],
  ])("%s", (_, transcript) => {
    const live = transcript.map(({ message }) => message);

    test.each([
      ["stored", stored(live)],
      ["serialised", serialised(live)],
    ])("are appended when %s, and open what they call until it is answered", async (__, messages) => {
      expect(await openAfterEach(langChainShape, messages)).toEqual(transcript.map(({ open }) => open));
    });

    test("say the same live, stored and serialised", () => {
      const facts = live.map((message) => langChainShape.inspect(message));
      expect(stored(live).map(inspect)).toEqual(facts);
      expect(serialised(live).map(inspect)).toEqual(facts);
    });
  });

  test("tell their kind: a user's answer to an approval is a tool's", () => {
    const kinds = [...toolTranscript, ...providerTranscript].map(
      ({ message }) => (inspect(message) as { kind: string }).kind,
    );
    expect(kinds.join(" ")).toBe(
      "system user assistant tool tool assistant tool user assistant tool assistant " +
        "assistant assistant tool assistant tool",
    );
  });

  test("come back from a store as LangChain's own classes", async () => {
    const live = toolTranscript.map(({ message }) => message);
    const { store, id, append } = await session(langChainShape);
    await append(...stored(live));
    const kept: StoredLangChainMessage[] = [];
    for await (const { body } of store.read(id)) kept.push(structuredClone(body) as StoredLangChainMessage);
    const back = mapStoredMessagesToChatMessages(
      kept as Parameters<typeof mapStoredMessagesToChatMessages>[0],
    );
    expect(back.map((message) => message.getType())).toEqual(live.map((message) => message.getType()));
    expect((back[2] as AIMessage).tool_calls).toEqual((live[2] as AIMessage).tool_calls);
    expect((back[4] as ToolMessage).status).toBe("error");
  });

  test("are refused live, since a store keeps no instance", async () => {
    const { append } = await session(langChainShape);
    const message = new HumanMessage("hello") as unknown as LangChainMessage;
    const refused = await append(message).catch((error: unknown) => error);
    expect(isSessionError(refused, "invalid_message") && refused.details.problem).toMatch(/no plain JSON/);
    await expect(append(...stored([new HumanMessage("hello")]))).resolves.toBeUndefined();
  });

  test("with a call that waits may be followed by its result alone", async () => {
    const asked = new AIMessage({
      content: "",
      tool_calls: [{ type: "tool_call", id: "a", name: "look", args: {} }],
    });
    const after = (...messages: Parameters<typeof stored>[0]) =>
      refusal(langChainShape, ...stored([asked, ...messages]));
    expect(await after(new HumanMessage("And?"))).toBe("open_calls");
    expect(await after(new ToolMessage({ tool_call_id: "b", content: "" }))).toBe("unmatched_result");
    expect(await after(new ToolMessage({ tool_call_id: "a", content: "" }))).toBe("appended");
  });

  test.each([
    [null, "it is neither a stored, a serialised nor a live message"],
    [{ role: "user", content: "" }, "it is neither a stored, a serialised nor a live message"],
    [{ type: "human" }, "it is neither a stored, a serialised nor a live message"],
    [
      { lc: 1, type: "constructor", id: ["langchain_core", "prompts", "PromptTemplate"], kwargs: {} },
      "it is neither a stored, a serialised nor a live message",
    ],
    [
      { lc: 1, type: "constructor", id: [{ toString: false }], kwargs: {} },
      "it is neither a stored, a serialised nor a live message",
    ],
    [of("remove", {}), "type: remove is none of human, ai, system, tool, function, generic"],
    [of("constructor", {}), "type: constructor is none of human, ai, system, tool, function, generic"],
    [of("human", { content: null }), "data/content: is neither a text nor a list of parts"],
    [of("human", { content: [{}] }), "data/content/0: type is missing"],
    [of("ai", { tool_calls: {} }), "data/tool_calls: is no list"],
    [of("ai", { tool_calls: [{ name: "look" }] }), "data/tool_calls/0: id is missing"],
    [
      of("ai", { additional_kwargs: { tool_calls: [{ function: {} }] } }),
      "data/additional_kwargs/tool_calls/0: id is missing",
    ],
    [
      of("ai", { additional_kwargs: { function_call: {} } }),
      "data/additional_kwargs/function_call: name is missing",
    ],
    [of("tool", {}), "data: tool_call_id is missing"],
    [of("function", {}), "data: name is missing"],
    [
      {
        lc: 1,
        type: "constructor",
        id: ["langchain_core", "messages", "ToolMessage"],
        kwargs: { content: "" },
      },
      "kwargs: tool_call_id is missing",
    ],
  ])("that are none are told which field is wrong: %j", (message, problem) => {
    expect(inspect(message)).toEqual({ problem });
  });

  test("with a function call of old open it beside their tool calls, as they go to the provider", () => {
    const data = {
      tool_calls: [{ id: "a", name: "look", args: {} }],
      additional_kwargs: { function_call: { name: "weather", arguments: "{}" } },
    };
    expect(inspect(of("ai", data))).toMatchObject({ opens: ["call:a", "function:weather"] });
  });

  test("that remove others are no messages, live either", () => {
    expect(inspect(new RemoveMessage({ id: "h1" }))).toHaveProperty("problem");
  });
});
