import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { entry } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";

const guide = readFileSync(fileURLToPath(new URL("../../SERVER.md", import.meta.url)), "utf8");
const examples = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, script]) => script!);

/** Runs an example as it stands, in a folder, with a model whose replies are a file. */
async function runExample(script: string): Promise<string> {
  const bench = new Bench();
  onTestFinished(() => bench.remove());
  const bin = join(bench.base, "bin");
  bench.write(join(bin, "basis"), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, 0o755);
  const env = bench.env({
    PATH: `${bin}:${process.env["PATH"]}`,
    BASIS_MODEL: bench.script([{ text: "a README and nothing else" }]),
  });
  const { stdout } = await promisify(execFile)("sh", ["-uc", script], {
    cwd: bench.workspace,
    env,
  }).catch((error: { stdout: string; stderr: string; code: number }) => {
    throw new Error(`ended with ${error.code}: ${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

it("the examples of SERVER.md are one over two streams and one over HTTP", () => {
  expect(examples).toHaveLength(2);
});

it("the example over two streams answers what the server is", async () => {
  expect(JSON.parse(await runExample(examples[0]!))).toMatchObject({ id: 1, result: { name: "basis" } });
});

it("the example over HTTP runs a turn, follows it and ends, and no token stands in an argument", async () => {
  expect(examples[1]).not.toMatch(/curl[^\n]*token/);
  const lines = (await runExample(examples[1]!)).split("\n");
  expect(JSON.parse(lines[0]!)).toMatchObject({ id: 1, result: { member: "first" } });
  const text = lines.join("\n");
  expect(text).toContain('event: control\ndata: {"control":"open","last_id":"0"}');
  expect(text).toMatch(/id: 1\ndata: .*"type":"run_started"/);
  expect(text).toMatch(/data: .*"text":"a README and nothing else"/);
  expect(text).toContain('{"jsonrpc":"2.0","id":2,"result":{"approvals":[],"next":null}}');
  expect(lines.at(-2)).toBe('{"status":"ok"}');
});
