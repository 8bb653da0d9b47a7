import { expect, onTestFinished, test } from "vitest";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import type { Running } from "../cli/support/basis-process.ts";
import { fiftyCanaries, foundIn } from "./canaries.ts";
import { filesWith, Scene } from "./scene.ts";

const canaries = fiftyCanaries();
const text = canaries.map(({ value }) => value).join(" ");
const env = Object.fromEntries(canaries.map(({ name, value }) => [name, value]));
const flags = ["--trust-workspace", "--trust-unpinned", "--allow-run"];
/** Those that may stand in a header and in a path as they are. */
const headerSafe = canaries
  .map(({ value }) => value)
  .filter((value) => /^[\w-]+$/.test(value))
  .join(".");

/** What a server was told to do once and how it says that it is ready for more. */
interface Served {
  readonly server: Running;
  readonly said: string[];
}

const message = (id: number, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

/** Writes lines one after the other, each once the one before it was answered. */
async function converse(
  { server }: Served,
  lines: readonly (readonly [id: number, line: string])[],
): Promise<void> {
  for (const [id, line] of lines) {
    server.write(line);
    await server.line(new RegExp(`^.*"id":${id}[,}].*$`, "m"));
  }
}

function start(scene: Scene, argv: readonly string[], secrets: Readonly<Record<string, string>>): Served {
  const server = scene.bench.start(argv, { env: secrets, stdin: null });
  onTestFinished(() => server.kill("SIGKILL"));
  return { server, said: [] };
}

async function end({ server, said }: Served): Promise<string> {
  server.kill("SIGTERM");
  const { stdout, stderr } = await server.ended;
  return [...said, stdout, stderr].join("\n");
}

async function overHttp(scene: Scene, secrets: Readonly<Record<string, string>>): Promise<string> {
  const argv = ["serve", "--http", "127.0.0.1:0", ...flags, "--model", scene.model];
  const served: Served = start(scene, argv, secrets);
  const found = (await served.server.line(/^http:\/\/\S+$/m)).trim();
  const [origin, token] = found.split("/#token=") as [string, string];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const ask = async (path: string, given: RequestInit = {}): Promise<string> => {
    const response = await fetch(`${origin}${path}`, { headers, ...given });
    if (response.headers.get("content-type")?.includes("event-stream") === true)
      throw new Error(`${path} follows something`);
    const body = await response.text();
    served.said.push(JSON.stringify([...response.headers]), body);
    return body;
  };
  const rpc = async (method: string, params: object = {}): Promise<any> =>
    (
      JSON.parse(await ask("/rpc", { method: "POST", body: message(1, method, params) })) as {
        result?: unknown;
      }
    ).result;
  const { run, session } = await rpc("runs/start", { prompt: `remember ${text}`, member: "writer" });
  let questions = 0;
  for (let end = await rpc("runs/wait", { run }); end.status === "parked"; questions += 1) {
    if (questions === 20) throw new Error("the questions have no end");
    const file = scene.bench.write(
      `${scene.bench.base}/token`,
      `${makeGrantToken(scene.bench.data)}\n`,
      0o600,
    );
    await rpc("approvals/list");
    const answer = { approval: end.approval_id, decision: "allow", token_file: file };
    await rpc("approvals/answer", { ...answer, reason: text });
    await rpc("approvals/answer", answer);
    end = await rpc("runs/wait", { run: (await rpc("runs/start", { session })).run });
  }
  for (const method of ["sessions/read", "events/read"]) await rpc(method, { session });
  await rpc("sessions/read", { session: text });
  await rpc("runs/start", { prompt: text, agent: text });
  await rpc("runs/start", { [text]: 1 });
  await rpc(text);
  for (const body of [`{"jsonrpc":"2.0","id":1,"method":"${headerSafe}`, text])
    await ask("/rpc", { method: "POST", body });
  await ask("/");
  for (const path of [`/${encodeURIComponent(headerSafe)}`, `/events?session=${encodeURIComponent(text)}`])
    await ask(path);
  await ask("/healthz", {
    headers: { authorization: `Bearer ${headerSafe}`, origin: `http://${canaries[0]!.value}` },
  });
  const stream = await fetch(`${origin}/events?session=${session}`, { headers });
  const decoder = new TextDecoder();
  let seen = "";
  for await (const piece of stream.body as unknown as AsyncIterable<Uint8Array>) {
    seen += decoder.decode(piece, { stream: true });
    if (seen.includes('"type":"run_finished"')) break;
  }
  served.said.push(seen);
  return end(served);
}

async function overAcp(scene: Scene, secrets: Readonly<Record<string, string>>): Promise<string> {
  await scene.bench.run(["trust", "--yes", "--unpinned"]);
  const argv = ["serve", "--acp", "--allow-run", "--model", scene.model];
  const served: Served = start(scene, argv, secrets);
  const { server } = served;
  const cwd = scene.bench.workspace;
  await converse(served, [
    [1, message(1, "initialize", { protocolVersion: 1, clientCapabilities: {} })],
    [2, message(2, "session/new", { cwd, mcpServers: [] })],
  ]);
  const [, sessionId] = /"sessionId":"([^"]+)"/.exec(await server.line(/^.*"id":2[,}].*$/m))!;
  const prompt = [{ type: "text", text: `remember ${text}` }];
  server.write(message(3, "session/prompt", { sessionId, prompt }));
  const answered = new Set<string>();
  const answerAll = (printed: string): void => {
    for (const [line] of printed.matchAll(/^.*"session\/request_permission".*$/gm)) {
      const { id } = JSON.parse(line) as { id: string | number };
      if (answered.has(String(id))) continue;
      answered.add(String(id));
      const outcome = { outcome: "selected", optionId: "allow_once" };
      server.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { outcome } })}\n`);
    }
  };
  await server.until((printed) => {
    answerAll(printed);
    return /"id":3[,}]/.test(printed);
  });
  await converse(served, [
    [4, message(4, "session/close", { sessionId })],
    [5, message(5, "session/load", { sessionId, cwd, mcpServers: [] })],
    [6, message(6, "session/load", { sessionId: text, cwd, mcpServers: [] })],
    [7, message(7, "session/new", { cwd: `/${headerSafe}`, mcpServers: [] })],
    [8, message(8, text)],
    [9, message(9, "session/prompt", { sessionId, prompt: [{ type: text }] })],
  ]);
  return end(served);
}

async function overMcp(scene: Scene, secrets: Readonly<Record<string, string>>): Promise<string> {
  const argv = ["serve", "--mcp", ...flags, "--model", scene.model];
  const served: Served = start(scene, argv, secrets);
  const client = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const tool = (id: number, name: string, given: object) =>
    [id, message(id, "tools/call", { name, arguments: given })] as const;
  await converse(served, [
    [1, message(1, "initialize", client)],
    [2, `{"jsonrpc":"2.0","method":"notifications/initialized"}\n${message(2, "tools/list")}`],
    tool(3, "run", { prompt: `remember ${text}`, member: "asked" }),
    tool(4, "run", { session: "asked" }),
    tool(5, "run", { prompt: "x", session: text }),
    tool(6, "run", { [text]: text }),
    tool(7, "fork", { session: text }),
    tool(8, text, {}),
    tool(9, "sessions", {}),
    [10, message(10, text)],
  ]);
  return end(served);
}

const servers = { overHttp, overAcp, overMcp };
const printed = (said: string): readonly string[] => foundIn(said, canaries);

// S5, S36, S40: what is said aloud by model, tools, guards, servers and client reaches neither answers nor files.
test.each(Object.entries(servers))(
  "no secret is in any answer %s",
  { timeout: 60_000 },
  async (_name, serve) => {
    const scene = new Scene(canaries);
    const said = await serve(scene, env);
    expect(said.split("[redacted CANARY_").length).toBeGreaterThan(canaries.length);
    expect(printed(said)).toEqual([]);
    expect(filesWith(scene.bench.data, canaries)).toEqual([]);
  },
);

test(
  "the positive control: not known to be secrets, they are in the answers",
  { timeout: 60_000 },
  async () => {
    expect(printed(await overMcp(new Scene(canaries), {})).length).toBeGreaterThanOrEqual(canaries.length);
  },
);
