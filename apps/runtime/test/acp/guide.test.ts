import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CANCELLED, REFUSED } from "../../src/acp/acp-error.ts";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { MemoryEditor } from "./support/memory-editor.ts";

const guide = readFileSync(new URL("../../EDITORS.md", import.meta.url), "utf8");
const server = readFileSync(new URL("../../SERVER.md", import.meta.url), "utf8");

/** The first cells of the tables of a guide, without their backticks. */
const cells = (text: string): readonly string[] =>
  [...text.matchAll(/^\| (`?)([^|`]+)\1 \|/gm)].map((match) => match[2]!);

test("EDITORS.md names the methods that there are, and no other", async () => {
  const named = cells(guide).filter((cell) => cell.startsWith("session/"));
  expect(named).toHaveLength(8);
  const editor = await MemoryEditor.open({ unstable: true });
  const { result } = await editor.ask("initialize", { protocolVersion: 1 });
  expect(Object.keys(result.agentCapabilities.sessionCapabilities)).toEqual([
    "list",
    "resume",
    "close",
    "fork",
  ]);
  const asked = named.filter((method) => method !== "session/cancel");
  const answers = await Promise.all(asked.map((method) => editor.ask(method, { cwd: 7 })));
  expect(answers.map(({ error }) => error?.code)).toEqual(asked.map(() => -32602));
});

test("EDITORS.md lists the codes of refusals", () => {
  const codes = cells(guide)
    .filter((cell) => /^-\d+$/.test(cell))
    .map(Number);
  const { parse_error, invalid_request, method_not_found, invalid_params, internal, not_found } = rpcCode;
  const shared = [parse_error, invalid_request, method_not_found, invalid_params, internal, not_found];
  expect(codes).toEqual([...shared, CANCELLED, REFUSED]);
});

test("SERVER.md lists the tools of basis serve --mcp", () => {
  const section = server.slice(
    server.indexOf("## As an MCP server"),
    server.indexOf("## What it does not do"),
  );
  expect(cells(section)).toEqual(["tool", "run", "fork", "sessions"]);
});
