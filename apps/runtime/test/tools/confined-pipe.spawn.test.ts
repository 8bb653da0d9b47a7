import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readConfined, writeConfined } from "../../src/tools/confined-file.ts";

test("a pipe neither blocks nor is read or written", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "basis-pipe-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const { signal } = new AbortController();
  await expect(readConfined(root, "pipe")).rejects.toThrow("is not a regular file");
  await expect(writeConfined(root, { path: "pipe", content: "x", signal })).rejects.toThrow(
    "cannot be opened",
  );
});
