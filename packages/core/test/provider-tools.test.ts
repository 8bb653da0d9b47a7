import { expect, test } from "vitest";
import { providerSetting, providerTool } from "../src/provider-tools.ts";

// S15
test.each([
  ["web_search", { content: [{ type: "server_tool_use", name: "web_search" }] }, "web_search_20250305"],
  ["web_search", { content: [{ type: "web_search_call" }] }, "webSearch"],
  ["mcp_call", { additional_kwargs: { tool_outputs: [{ type: "mcp_call", name: "delete" }] } }, "mcp"],
  [
    "code_execution",
    { content: [{ type: "non_standard", value: { type: "executableCode" } }] },
    "codeExecution",
  ],
  ["shell", { messages: [{ content: "a" }, { content: [{ type: "shell_call_output" }] }] }, "shell"],
])("finds that the provider ran %s, but for those it may", (name, reply, outside) => {
  expect(providerTool(reply, ["other"])).toBe(name);
  expect(providerTool(reply, [outside])).toBeUndefined();
});

// S15
test("finds none in what waits for whoever receives the reply, nor in what is no reply", () => {
  const waiting = ["tool_call", "invalid_tool_call", "function_call", "shell_call", "text", 7];
  expect(providerTool({ content: waiting.map((type) => ({ type, name: "run" })) }, [])).toBeUndefined();
  for (const reply of [
    undefined,
    null,
    "text",
    {},
    { content: "text" },
    { content: [null, "server_tool_use"] },
  ])
    expect(providerTool(reply, [])).toBeUndefined();
});

// S15
test.each([
  [{ web_search_options: {} }, "web_search_options"],
  [{ tools: [], mcpServers: [] }, "mcpServers"],
  [{ temperature: 0, web_search_options: undefined }, undefined],
  [undefined, undefined],
])("of the settings %j, %s brings tools of the provider's", (settings, setting) => {
  expect(providerSetting(settings)).toBe(setting);
});
