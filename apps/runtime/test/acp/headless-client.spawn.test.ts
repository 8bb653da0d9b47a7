import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { entry } from "../cli/support/basis-process.ts";
import { Bench } from "../cli/support/bench.ts";

const acpx = join(dirname(fileURLToPath(import.meta.resolve("acpx/package.json"))), "dist", "cli.js");

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.remove());

/** Runs one prompt through the published client; answers every message of both sides. */
async function runAcpx(options: readonly string[], model: string) {
  const agent = [process.execPath, entry, "serve", "--acp", "--model", model].join(" ");
  const argv = ["--agent", agent, "--cwd", bench.workspace, "--format", "json", "--json-strict", ...options];
  return new Promise<{ readonly code: unknown; readonly messages: readonly any[] }>((resolve) => {
    const child = execFile(
      process.execPath,
      [acpx, ...argv, "exec", "go"],
      { env: bench.env() },
      (error, stdout) => {
        const lines = stdout.split("\n").filter((line) => line !== "");
        resolve({ code: error === null ? 0 : error.code, messages: lines.map((line) => JSON.parse(line)) });
      },
    );
    child.stdin!.end();
  });
}

it("a published client without a window drives a turn, and its answers allow and refuse", async () => {
  const note = bench.write("note.txt", "before\n");
  const write = { calls: [{ name: "write", input: { path: "note.txt", content: "after\n" } }] };
  const model = bench.script([write, { text: "Done." }]);
  const refusing = await runAcpx(["--deny-all"], model);
  expect(readFileSync(note, "utf8")).toBe("before\n");
  expect(refusing.messages).toContainEqual(
    expect.objectContaining({
      params: expect.objectContaining({ update: expect.objectContaining({ status: "failed" }) }),
    }),
  );
  const allowing = await runAcpx(["--approve-all"], model);
  expect(allowing.code).toBe(0);
  expect(readFileSync(note, "utf8")).toBe("after\n");
  const updates = allowing.messages.flatMap(({ params }) => (params?.update ? [params.update] : []));
  expect(updates).toMatchObject([
    { sessionUpdate: "tool_call", kind: "edit" },
    { sessionUpdate: "tool_call_update", status: "in_progress" },
    { sessionUpdate: "tool_call_update", status: "completed" },
    { sessionUpdate: "agent_message_chunk", content: { text: "Done." } },
  ]);
  expect(allowing.messages.at(-1)).toMatchObject({ result: { stopReason: "end_turn" } });
});
