import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../src/providers/model.ts";
import { createPromptBuilder, toCallOptions } from "../../src/providers/provider-prompt.ts";
import { requestOf, said } from "./rounds.ts";

const result = (toolCallId: string): ModelMessage => ({
  role: "tool",
  content: [
    { type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value: toolCallId } },
  ],
});

describe("the prompt", () => {
  test("begins with the system text and keeps the messages' order", () => {
    const messages: ModelMessage[] = [{ role: "user", content: "hi" }, said("yes")];
    expect(createPromptBuilder("v3").build({ system: "Be brief.", messages })).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [{ type: "text", text: "yes" }] },
    ]);
  });

  test("joins neighbouring tool rows and no others", () => {
    const messages = [result("a"), result("b"), said("then"), result("c")];
    const prompt = createPromptBuilder("v3").build({ messages });
    expect(prompt.map(({ role, content }) => [role, content.length])).toEqual([
      ["tool", 2],
      ["assistant", 1],
      ["tool", 1],
    ]);
  });

  test("leaves out assistant rows that say nothing, and empty texts", () => {
    const messages: ModelMessage[] = [
      { role: "assistant", content: "" },
      { role: "assistant", content: [] },
      { role: "assistant", content: [{ type: "text", text: "" }] },
      {
        role: "assistant",
        content: [{ type: "text", text: "", providerOptions: { openai: { itemId: "m1" } } }],
      },
    ];
    expect(createPromptBuilder("v3").build({ messages })).toHaveLength(1);
  });

  test("shows arguments that are no object back inside one", () => {
    const call = (
      input: ModelMessage extends never ? never : string | number[] | { path: string },
    ): ModelMessage => ({
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "read", input }],
    });
    const messages = [call('{"path":'), call([1]), call({ path: "a" })];
    const prompt = createPromptBuilder("v3").build({ messages });
    const inputs = prompt.map(({ content }) => (content as { input?: unknown }[])[0]?.input);
    expect(inputs).toEqual([{ unparsed_arguments: '{"path":' }, { unparsed_arguments: [1] }, { path: "a" }]);
  });

  test("takes files by address or content, in either interface version", () => {
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data: "https://x.test/a.png" },
          { type: "file", mediaType: "image/png", data: "AAAA" },
        ],
      },
    ];
    const dataOf = (version: string): unknown[] => {
      const [message] = createPromptBuilder(version).build({ messages });
      return (message as { content: { data: unknown }[] }).content.map((part) => part.data);
    };
    const url = new URL("https://x.test/a.png");
    expect(dataOf("v3")).toEqual([url, "AAAA"]);
    expect(dataOf("v4")).toEqual([
      { type: "url", url },
      { type: "data", data: "AAAA" },
    ]);
  });

  test("uses again what it made of a frozen message, and only that", () => {
    const frozen = Object.freeze(said("kept")) as ModelMessage;
    const open = said("open");
    const builder = createPromptBuilder("v3");
    const [first, second] = [1, 2].map(() => builder.build({ messages: [frozen, open] }));
    expect(second?.[0]).toBe(first?.[0]);
    expect(second?.[1]).not.toBe(first?.[1]);
  });

  test("is never changed by building the next one", () => {
    const messages = [result("a"), result("b")].map((message) => Object.freeze(message));
    const builder = createPromptBuilder("v3");
    const before = JSON.stringify(builder.build({ messages }));
    builder.build({ messages: [...messages, Object.freeze(result("c"))] });
    expect(JSON.stringify(builder.build({ messages }))).toBe(before);
  });
});

describe("the call's options", () => {
  test("hold neither tools nor a choice when no tool is offered", () => {
    const options = toCallOptions(requestOf({ toolChoice: { type: "required" } }), []);
    expect(Object.keys(options).toSorted()).toEqual(["includeRawChunks", "prompt"]);
  });
});
