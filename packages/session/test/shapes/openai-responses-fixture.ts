import type { OpenAI } from "openai";
import { said, type Said } from "./transcript.ts";

type Input = OpenAI.Responses.ResponseInputItem;
type Output = OpenAI.Responses.ResponseOutputItem;

const reasoning: OpenAI.Responses.ResponseReasoningItem = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Look first." }],
  encrypted_content: "gAAAAABo",
};

const call = (call_id: string): OpenAI.Responses.ResponseFunctionToolCall => ({
  type: "function_call",
  id: `fc_${call_id}`,
  call_id,
  name: "look",
  arguments: '{"path":"."}',
  status: "completed",
});

const text = (id: string, ...content: OpenAI.Responses.ResponseOutputMessage["content"]): Output => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content,
});

/** The outputs of whole responses, each one entry, and the inputs between them: parallel calls of four kinds, a refusal, an image. */
export const responseTranscript: readonly Said<Input | Input[] | Output[]>[] = [
  said({ role: "developer", content: "Answer briefly." }),
  said({
    type: "message",
    role: "user",
    content: [
      { type: "input_text", text: "What is on it?" },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ],
  }),
  said(
    [
      reasoning,
      call("c1"),
      call("c2"),
      { type: "custom_tool_call", id: "ctc_1", call_id: "c3", name: "sql", input: "select 1" },
    ],
    "call:c1",
    "call:c2",
    "call:c3",
  ),
  said({ type: "function_call_output", call_id: "c2", output: "two" }, "call:c1", "call:c3"),
  said([
    { type: "function_call_output", call_id: "c1", output: '{"error":"no such file"}' },
    { type: "custom_tool_call_output", call_id: "c3", output: [{ type: "input_text", text: "1" }] },
    { role: "user", content: "Go on." },
  ]),
  said([text("msg_1", { type: "refusal", refusal: "I can't." })]),
  said([text("msg_2")]),
  said({ role: "assistant", content: "" }),
];

const screenshot: OpenAI.Responses.ResponseComputerToolCall = {
  type: "computer_call",
  id: "cu_1",
  call_id: "c4",
  status: "completed",
  action: { type: "screenshot" },
  pending_safety_checks: [{ id: "cu_sc_1", code: "malicious_instructions", message: "Careful." }],
};

/** Items one by one: the computer, shells, patches, a search for tools, an approval of an MCP call. */
export const actionTranscript: readonly Said<Input>[] = [
  said(screenshot, "call:c4"),
  said({
    type: "computer_call_output",
    call_id: "c4",
    acknowledged_safety_checks: [{ id: "cu_sc_1" }],
    output: { type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw0KGgo=" },
  }),
  said(
    {
      type: "local_shell_call",
      id: "lsh_1",
      call_id: "c5",
      status: "completed",
      action: { type: "exec", command: ["ls"], env: {} },
    },
    "call:c5",
  ),
  said({ type: "local_shell_call_output", id: "c5", output: "README.md" }),
  said({ type: "shell_call", call_id: "c6", action: { commands: ["ls"] } }, "call:c6"),
  said({
    type: "shell_call_output",
    call_id: "c6",
    output: [{ stdout: "", stderr: "no", outcome: { type: "exit", exit_code: 1 } }],
  }),
  said(
    {
      type: "apply_patch_call",
      call_id: "c7",
      status: "completed",
      operation: { type: "delete_file", path: "a" },
    },
    "call:c7",
  ),
  said({ type: "apply_patch_call_output", call_id: "c7", status: "failed", output: "no such file" }),
  said(
    { type: "tool_search_call", call_id: "c8", execution: "client", arguments: { query: "git" } },
    "call:c8",
  ),
  said({ type: "tool_search_output", call_id: "c8", execution: "client", tools: [] }),
  said({ type: "tool_search_call", call_id: null, execution: "server", arguments: {} }),
  said({ type: "tool_search_output", call_id: null, execution: "server", tools: [] }),
  said(
    { type: "mcp_approval_request", id: "mcpr_1", name: "send", server_label: "mail", arguments: "{}" },
    "approval:mcpr_1",
  ),
  said({ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false, reason: "no" }),
];

/** What the provider executes by itself, with what carries its state. */
export const executedOutput: Output[] = [
  { type: "mcp_list_tools", id: "mcpl_1", server_label: "mail", tools: [] },
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "cats" } },
  { type: "file_search_call", id: "fs_1", status: "completed", queries: ["cats"], results: null },
  {
    type: "code_interpreter_call",
    id: "ci_1",
    status: "completed",
    code: "1",
    container_id: "cntr_1",
    outputs: null,
  },
  { type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo=" },
  { type: "mcp_call", id: "mcp_1", server_label: "mail", name: "list", arguments: "{}", error: "down" },
  { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAABo" },
];

const inProgram = { type: "program", caller_id: "p1" } as const;

/** A program of the provider's that calls a function in two rounds. */
export const programTranscript: readonly Said<Input[] | Output[]>[] = [
  said(
    [
      { type: "program", id: "prg_1", call_id: "p1", code: "await look()", fingerprint: "f" },
      { ...call("c9"), caller: inProgram },
    ],
    "call:p1",
    "call:c9",
  ),
  said([{ type: "function_call_output", call_id: "c9", output: "1" }], "call:p1"),
  said([{ ...call("c10"), caller: inProgram }], "call:p1", "call:c10"),
  said([{ type: "function_call_output", call_id: "c10", output: "2" }], "call:p1"),
  said([
    { type: "program_output", id: "po_1", call_id: "p1", result: "3", status: "completed" },
    text("msg_3", { type: "output_text", text: "Three.", annotations: [] }),
  ]),
];
