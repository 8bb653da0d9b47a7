import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { hooksOfOtherTools } from "../../src/config/other-tools-hooks.ts";

const hook = [{ matcher: "Bash", hooks: [{ type: "command", command: "./guard.sh" }] }];

function folderWith(files: Readonly<Record<string, object | string>>): string {
  const root = mkdtempSync(join(tmpdir(), "basis-others-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  return root;
}

it("names the settings of other tools that hold hooks, and the command that makes them native", () => {
  const root = folderWith({
    ".claude/settings.json": { hooks: { PreToolUse: hook } },
    ".gemini/settings.json": { theme: "dark" },
    ".cursor/hooks.json": { version: 1, hooks: { preToolUse: [{ command: "true" }] } },
    ".codex/hooks.json": "{",
  });
  const said = hooksOfOtherTools(root);
  expect(said.map((line) => line.split(" ")[0])).toEqual([".claude/settings.json", ".cursor/hooks.json"]);
  expect(said[0]).toContain("npx --package @basis/hook-dialects basis-hook-dialects import");
});

it("says nothing where none is, where they hold none, and where they were imported", () => {
  expect(hooksOfOtherTools(folderWith({ "README.md": "" }))).toEqual([]);
  expect(hooksOfOtherTools(folderWith({ ".claude/settings.json": { hooks: {} } }))).toEqual([]);
  const imported = {
    ".claude/settings.json": { hooks: { PreToolUse: hook } },
    ".basis/hook-dialects/ask.mjs": "",
  };
  expect(hooksOfOtherTools(folderWith(imported))).toEqual([]);
});
