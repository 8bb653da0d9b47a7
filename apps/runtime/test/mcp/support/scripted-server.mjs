// An MCP server whose behaviour is its first argument: JSON with the tools it lists and what goes wrong.
import { appendFileSync, readFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const plan = JSON.parse(process.argv[2] ?? "{}");
const plainTool = { name: "echo", description: "Says it again.", inputSchema: { type: "object" } };
let tools = plan.toolsFile ? JSON.parse(readFileSync(plan.toolsFile, "utf8")) : (plan.tools ?? [plainTool]);
const waiting = new Map();
let asked = 0;

const note = (line) => plan.log && appendFileSync(plan.log, `${line}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });

note(`started ${process.pid}`);
if (plan.ignoreEnd) {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => note(signal));
  setInterval(() => undefined, 1_000);
}
if (plan.child) note(`child ${spawn("sleep", ["600"], { stdio: "ignore" }).pid}`);
if (plan.stderr) process.stderr.write(plan.stderr);
if (plan.stderrFile) process.stderr.write(readFileSync(plan.stderrFile, "utf8"));
if (plan.dieAtStart) process.exit(3);
if (plan.changeAfterMs) {
  setTimeout(() => {
    tools = plan.later;
    send({ method: "notifications/tools/list_changed" });
  }, plan.changeAfterMs);
}
if (plan.noise) process.stdout.write(`${plan.noise}\n`);

/** Asks the host something; answers its result or error. */
function ask(method, params) {
  const id = `ask-${(asked += 1)}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const calls = {
  echo: async ({ arguments: input }) => text(`echo ${JSON.stringify(input)}`),
  env: async () => text(JSON.stringify(process.env)),
  cwd: async () => text(process.cwd()),
  die: async () => process.exit(7),
  leave: async () => {
    // Its output stays open in a child.
    note(`child ${spawn("sleep", ["600"], { stdio: "inherit" }).pid}`);
    process.exit(0);
  },
  hang: () => new Promise(() => undefined),
  giant: async () => {
    const piece = "x".repeat(1024 * 1024);
    for (let sent = 0; sent < 9; sent += 1) process.stdout.write(piece);
    return new Promise(() => undefined);
  },
  flood: async () => {
    for (let sent = 0; sent < 40; sent += 1) process.stdout.write(`${"noise ".repeat(8_000)}\n`);
    return new Promise(() => undefined);
  },
  fail: async () => ({ ...text("it went wrong"), isError: true }),
  refuse: () => Promise.reject(Object.assign(new Error("not today"), { code: -32_000 })),
  wrong: async () => ({ content: "no list" }),
  structured: async () => ({ content: [], structuredContent: plan.structured ?? { sum: 3 } }),
  progress: async (_params, { token }) => {
    send({
      method: "notifications/progress",
      params: { progressToken: token, progress: 1, total: 2, message: "half\u001b[2J" },
    });
    return text("done");
  },
  asks: async () => {
    const answers = [];
    const questions = [
      ["sampling/createMessage", { messages: [], maxTokens: 10 }],
      [
        "elicitation/create",
        { message: "your password?", requestedSchema: { type: "object", properties: {} } },
      ],
      ["roots/list", {}],
    ];
    for (const [method, params] of questions) {
      const { result, error } = await ask(method, params);
      answers.push([method, error ? error.code : JSON.stringify(result)].join(": "));
    }
    return text(answers.join("\n"));
  },
  change: async () => {
    tools = plan.later;
    send({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
};

const methods = {
  async initialize({ protocolVersion }) {
    if (plan.hangAtStart) return undefined;
    if (plan.delayMs) await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
    const serverInfo = { name: "scripted", version: "1" };
    return { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo };
  },
  "tools/list"({ cursor } = {}) {
    const size = plan.pageSize ?? tools.length;
    const from = Number(cursor ?? 0);
    const page = { tools: tools.slice(from, from + size) };
    if (plan.endless) return { ...page, nextCursor: String(from) };
    return from + size < tools.length ? { ...page, nextCursor: String(from + size) } : page;
  },
  "tools/call"(params) {
    note(`called ${params.name}`);
    const token = params._meta?.progressToken;
    return (calls[params.name] ?? calls.echo)(params, { token });
  },
};

const lines = createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.({ result, error });
  if (id === undefined) return note(`told ${method} ${params?.reason ?? ""}`.trim());
  try {
    if (methods[method] === undefined) throw Object.assign(new Error("no such method"), { code: -32_601 });
    const answered = await methods[method](params);
    if (answered !== undefined) send({ id, result: answered });
  } catch (failure) {
    send({ id, error: { code: failure.code ?? -32_603, message: failure.message } });
  }
});
lines.on("close", () => plan.ignoreEnd || process.exit(0));
