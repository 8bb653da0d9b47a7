import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeNewFile } from "../../src/cli/terminal/output-file.ts";

it("a disk that is full is told with the file's name, and leaves nothing of it", async () => {
  const base = mkdtempSync(join(tmpdir(), "basis-output-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    syscall: "write",
  });
  const path = join(base, "session.jsonl");
  const writing = writeNewFile(
    path,
    (async function* () {
      yield "one";
      throw full;
    })(),
  );
  await expect(writing).rejects.toThrow(`${path} cannot be written: there is no room left`);
  expect(readdirSync(base)).toEqual([]);
  const broken = writeNewFile(
    path,
    (async function* () {
      yield "one";
      throw new Error("line 2 is damaged");
    })(),
  );
  await expect(broken).rejects.toThrow(/^line 2 is damaged$/);
});
