import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { fileDigests, shellWords } from "../../src/tools/file-digests.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "basis-digests-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "scripts"));
  writeFileSync(join(root, "scripts/run.sh"), "one");
  symlinkSync("scripts/run.sh", join(root, "run"));
  symlinkSync("/etc/hostname", join(root, "away"));
});

const digests = (...words: string[]): Promise<Readonly<Record<string, string>>> => fileDigests(root, words);

test("a word that names a file inside is answered with that file and its content", async () => {
  const found = await digests("sh", "scripts/run.sh", "--config=scripts/run.sh", "run");
  expect(Object.keys(found)).toEqual(["file:scripts/run.sh", "file:run"]);
  expect(found["file:run"]).toBe(found["file:scripts/run.sh"]);
  expect(found["file:run"]).toMatch(/^scripts\/run\.sh sha256:[0-9a-f]{64}$/);
});

test("another content, another target of a link and a new file each make it another", async () => {
  const before = await digests("run", "late.sh");
  writeFileSync(join(root, "scripts/run.sh"), "two");
  const changed = await digests("run", "late.sh");
  expect(changed).not.toEqual(before);
  rmSync(join(root, "run"));
  writeFileSync(join(root, "scripts/other.sh"), "two");
  symlinkSync("scripts/other.sh", join(root, "run"));
  const relinked = await digests("run", "late.sh");
  expect(relinked).not.toEqual(changed);
  writeFileSync(join(root, "late.sh"), "late");
  expect(await digests("run", "late.sh")).not.toEqual(relinked);
});

test("words that name no file of the workspace add nothing", async () => {
  expect(await digests("ls", "-la", "scripts", "missing", "/etc/hostname", "away", "", "a\0b")).toEqual({});
});

test("a file of any size is covered", async () => {
  writeFileSync(join(root, "large"), Buffer.alloc(9 * 1024 * 1024));
  expect(Object.keys(await digests("large"))).toEqual(["file:large"]);
});

test("shell text is cut into the words that could name files", () => {
  expect(shellWords(`sh 'a b.sh'&&cat<"in.txt">out;(./x|y)`)).toEqual([
    "sh",
    "a",
    "b.sh",
    "cat",
    "in.txt",
    "out",
    "./x",
    "y",
  ]);
});
