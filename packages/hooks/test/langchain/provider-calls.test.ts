import * as langchain from "langchain";
import { describe, expect, it } from "vitest";
import { guard, noting } from "./agents.ts";
/** A turn whose model answers one message, with these tools outside. */
function attemptWith(fields: ConstructorParameters<typeof langchain.AIMessage>[0]) {
  return async (outside: readonly string[]): Promise<string | undefined> => {
    const model = langchain.fakeModel().respond(new langchain.AIMessage(fields));
    const agent = langchain.createAgent({ model, tools: [], middleware: [guard(noting(), { outside })] });
    const { messages } = await agent.invoke({ messages: [new langchain.HumanMessage("go")] });
    return messages.at(-1)?.text;
  };
}

describe("what the provider ran by itself", () => {
  it.each([
    ["server_tool_use", { id: "s", name: "web_search", input: {} }, "web_search", "web_search_20250305"],
    ["mcp_tool_use", { id: "s", name: "delete", server_name: "files", input: {} }, "mcp_tool_use", "mcp"],
    ["server_tool_call", { id: "s", name: "code_interpreter", args: {} }, "code_interpreter", undefined],
  ])(
    "S15: fails the turn in which the provider ran a tool that no list showed: %s",
    async (type, part, name, known) => {
      const content = [
        { type, ...part },
        { type: "text", text: "done" },
      ];
      const attempt = attemptWith({ content: content as never });
      await expect(attempt([])).rejects.toThrow(`the tool '${name}' was run by the provider`);
      await expect(attempt(["web"])).rejects.toThrow(`'${name}'`);
      expect(await attempt([known ?? name])).toBe("done");
    },
  );

  it.each([
    ["OpenAI's MCP call", { type: "mcp_call", name: "delete" }, "mcp_call", "mcp"],
    ["OpenAI's picture", { type: "image_generation_call" }, "image_generation", undefined],
    ["OpenAI's code without its text", { type: "code_interpreter_call" }, "code_interpreter", undefined],
    ["OpenAI's shell of a container", { type: "shell_call_output" }, "shell", undefined],
  ])("S15: fails the turn for what stands beside a message alone: %s", async (_what, item, name, known) => {
    const attempt = attemptWith({ content: "done", additional_kwargs: { tool_outputs: [item] } });
    await expect(attempt([])).rejects.toThrow(`the tool '${name}' was run by the provider`);
    expect(await attempt([known ?? name])).toBe("done");
  });

  it.each([
    ["code", [{ type: "executableCode", executableCode: { code: "1" } }], "code_execution"],
    ["its result", [{ type: "codeExecutionResult", codeExecutionResult: {} }], "codeExecution"],
  ])("S15: fails the turn in which Google ran %s", async (_what, parts, known) => {
    const attempt = attemptWith({
      content: [...parts, { type: "text", text: "done" }] as never,
      response_metadata: { model_provider: "google-genai" },
    });
    await expect(attempt([])).rejects.toThrow("the tool 'code_execution' was run by the provider");
    expect(await attempt([known])).toBe("done");
  });

  it("S15: lets pass what waits for whoever receives the reply", async () => {
    const types = ["function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call"];
    const tool_outputs = types.map((type) => ({ type }));
    expect(await attemptWith({ content: "done", additional_kwargs: { tool_outputs } })([])).toBe("done");
  });

  it("S15: refuses settings of the model by which the provider searches or calls servers", async () => {
    const settings = langchain.createMiddleware({
      name: "settings",
      wrapModelCall: (request, handler) => handler({ ...request, modelSettings: { web_search_options: {} } }),
    });
    const attempt = async (outside: readonly string[]): Promise<string | undefined> => {
      const model = langchain.fakeModel().respond(new langchain.AIMessage("done"));
      const middleware = [settings, guard(noting(), { outside })];
      const agent = langchain.createAgent({ model, tools: [], middleware });
      return (await agent.invoke({ messages: [new langchain.HumanMessage("go")] })).messages.at(-1)?.text;
    };
    await expect(attempt([])).rejects.toThrow("the tool 'web_search_options' does not run in this process");
    expect(await attempt(["web_search_options"])).toBe("done");
  });
});
