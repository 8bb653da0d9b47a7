import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { CALL, commandOf, subjectOf } from "./workers.mjs";

const REQUEST = JSON.stringify({
  hook_schema: 1,
  event: "pre_tool_use",
  workspace: "/w",
  agent_id: CALL.agentId,
  tool_call_id: CALL.toolCallId,
  tool_name: CALL.toolName,
  input: JSON.parse(CALL.inputJson),
});

/**
 * The limits: a program at two pipes, lines written and read by hand, answers taken in the order of the questions. `cat`
 * is a worker in C that need not look at what it is asked.
 */
export async function open(variant, { work }) {
  mkdirSync(work, { recursive: true });
  const [program, ...args] = commandOf(variant, work);
  const child = spawn(program, args, { cwd: work, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) waiting.shift()(JSON.parse(line));
  });
  if (variant.worker !== "cat") await new Promise((resolve) => waiting.push(resolve));
  let asked = 0;
  const once = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      asked += 1;
      child.stdin.write(`{"id":"${asked}","deadline_ms":5000,"request":${REQUEST},"decision":"allow"}\n`);
    });
  return subjectOf(once, variant, () => child.kill());
}
