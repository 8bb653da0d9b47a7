import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Bench } from "../cli/support/bench.ts";
import { mcpFile } from "../mcp/support/mcp-host.ts";
import { foundIn, type Canary } from "./canaries.ts";

export const running = ["--approve", "always", "--allow-run", "--trust-workspace", "--trust-unpinned"];
const word = (canary: Canary): string => JSON.stringify(canary.value);

/** Plants every fifth of them somewhere else: files and programs, guards, servers, what a model and a person say. */
export class Scene {
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
export async function quotingProvider(text: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${text}`, type: "auth" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** The files that hold one of them. */
export function filesWith(directory: string, canaries: readonly Canary[]): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => foundIn(readFileSync(path, "latin1"), canaries).length > 0);
}

export function everyByte(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}
