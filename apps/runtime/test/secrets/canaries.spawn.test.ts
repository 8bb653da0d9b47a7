import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { Bench } from "../cli/support/bench.ts";
import { mcpFile } from "../mcp/support/mcp-host.ts";
import { fiftyCanaries, foundIn, type Canary } from "./canaries.ts";

const running = ["--approve", "always", "--allow-run", "--trust-workspace", "--trust-unpinned"];
const word = (canary: Canary): string => JSON.stringify(canary.value);

/** Plants every fifth of them somewhere else: files and programs, guards, servers, what a model and a person say. */
class Scene {
  readonly bench = new Bench();
  readonly said: string[] = [];
  readonly #canaries: readonly Canary[];

  constructor(canaries: readonly Canary[]) {
    this.#canaries = canaries;
    onTestFinished(() => this.bench.remove());
    const text = canaries.map(({ value }) => value).join("\n");
    this.bench.write("planted.txt", text);
    this.bench.write(".mcp.json", mcpFile({ dies: { dieAtStart: true, stderrFile: "planted.txt" }, s: {} }));
    const tool = { name: "hello", description: "Says it.", argv: ["cat", "planted.txt"] };
    this.bench.write(".basis/tools.json", JSON.stringify({ schema: 1, tools: [tool] }));
    const answer = `const all = require("node:fs").readFileSync("planted.txt", "utf8");
      console.error(all);
      console.log(JSON.stringify({ decision: "deny", reason: all }));`;
    this.bench.write(join(this.bench.config, "deny.cjs"), answer);
    this.bench.write(
      join(this.bench.config, "crash.cjs"),
      `console.log(${JSON.stringify(text)}); process.exit(1)`,
    );
    const hook = (name: string, tools: readonly string[]) => ({
      name,
      command: ["node", join(this.bench.config, `${name}.cjs`)],
      tools,
    });
    const hooks = [hook("deny", ["list"]), hook("crash", ["search"])];
    this.bench.write(join(this.bench.config, "hooks.json"), JSON.stringify({ schema: 1, hooks }), 0o600);
  }

  async basis(argv: readonly string[], env: Readonly<Record<string, string>>, stdin = ""): Promise<string> {
    const { stdout, stderr } = await this.bench.run(argv, { env, stdin });
    this.said.push(stdout, stderr);
    return stdout;
  }

  /** A turn in which everything says them. */
  get model(): string {
    const text = this.#canaries.map(({ value }) => value).join(" ");
    const echoed = this.#canaries.map(word).join(" ");
    const each = (name: string, input: object) => ({ calls: [{ name, input: input as never }] });
    return this.bench.script(
      [
        each("read", { path: "planted.txt" }),
        each("run", {
          argv: ["sh", "-c", "cat planted.txt; base64 -w0 planted.txt >/dev/null; cat planted.txt >&2"],
        }),
        each("hello", {}),
        each("list", { path: "." }),
        each("search", { pattern: "x" }),
        each("mcp__s__echo", { said: text }),
        each("spawn", { input: `say ${text}` }),
        each("no_such_tool", { text }),
        { text: `it says ${text} and ${echoed}` },
      ],
      { child: { rounds: [{ text: `child: ${text}` }] } },
    );
  }
}

/** A provider that quotes what it was sent in its error. */
async function quotingProvider(text: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${text}`, type: "auth" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** The files that hold one of them. */
function filesWith(directory: string, canaries: readonly Canary[]): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => foundIn(readFileSync(path, "latin1"), canaries).length > 0);
}

function everyByte(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

async function useEverySink(
  scene: Scene,
  env: Readonly<Record<string, string>>,
  text: string,
): Promise<void> {
  const { bench } = scene;
  await scene.basis(["run", "-", ...running, "--model", scene.model], env, `remember ${text}`);
  const [{ session }] = JSON.parse(await scene.basis(["sessions", "list", "--json"], env)) as [
    { session: string },
  ];
  const cassette = join(scene.bench.data, "cassette.jsonl");
  const recording = ["run", "again", "--json", "--record", cassette, ...running, "--model", scene.model];
  await scene.basis(recording, env);
  expect(existsSync(cassette)).toBe(true);
  const write = { calls: [{ name: "write", input: { path: "a.txt", content: text } }] };
  await scene.basis(["run", text, "--approve", "park", "--model", bench.script([write])], env);
  const [{ id }] = JSON.parse(await scene.basis(["approvals", "list", "--json"], env)) as [{ id: string }];
  const url = await quotingProvider(text);
  const asking = ["run", "go", "--model", "openai-compatible/any"];
  await scene.basis(asking, { ...env, BASIS_BASE_URL: url });
  await scene.basis([...asking, "--json"], { ...env, BASIS_BASE_URL: url });
  for (const argv of [
    ["events", session],
    ["sessions", "show", session],
    ["sessions", "show", session, "--json"],
    ["sessions", "tree"],
    ["sessions", "export", session],
    ["sessions", "export", session, "--html"],
    ["approvals", "list"],
    ["approvals", "show", id],
    ["doctor", "--deep"],
    ["doctor", "--json"],
    ["inspect", "--servers"],
    ["inspect", "--json"],
    ["trust"],
    ["fork", session, "--dry-run"],
    ["run", "x", "--session", text],
    [text],
  ])
    await scene.basis(argv, env);
  const rpc = [
    { id: 1, method: "sessions/read", params: { session } },
    { id: 2, method: "events/read", params: { session } },
    { id: 3, method: "approvals/list", params: {} },
    { id: 4, method: "sessions/read", params: { session: text } },
    { id: 5, method: text, params: {} },
  ];
  const lines = rpc.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  await scene.basis(["serve", "--stdio", "--model", scene.model], env, lines);
}

// S5, S36, S40: fifty secrets of the environment that everything says aloud.
test("no secret is in any sink of the command line", { timeout: 120_000 }, async () => {
  const canaries = fiftyCanaries();
  const text = canaries.map(({ value }) => value).join(" ");
  const env = Object.fromEntries(canaries.map(({ name, value }) => [name, value]));
  const scene = new Scene(canaries);
  await useEverySink(scene, env, text);
  for (const said of scene.said) expect(foundIn(said, canaries)).toEqual([]);
  expect(filesWith(scene.bench.data, canaries)).toEqual([]);
  expect(everyByte(scene.bench.data).split("[redacted CANARY_").length).toBeGreaterThan(canaries.length * 10);

  // The positive control: not known to be secrets, they are everywhere.
  const open = new Scene(canaries);
  await open.basis(["run", "-", ...running, "--model", open.model], {}, `remember ${text}`);
  expect(foundIn(everyByte(open.bench.data), canaries).length).toBeGreaterThanOrEqual(canaries.length);
  expect(foundIn(open.said.join("\n"), canaries).length).toBeGreaterThan(0);
});
