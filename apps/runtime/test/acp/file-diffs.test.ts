import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileDiffs } from "../../src/acp/file-diffs.ts";

function folder(files: Readonly<Record<string, string | Buffer>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "basis-diffs-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content);
  return root;
}

test("a write shows what it replaces, a new file nothing, a second write what the first left", async () => {
  const root = folder({ "a.txt": "old" });
  const diffs = new FileDiffs(root);
  const write = { path: "a.txt", content: "new" };
  await diffs.expect(write);
  expect(diffs.of(write)).toEqual({
    type: "diff",
    path: join(root, "a.txt"),
    oldText: "old",
    newText: "new",
  });
  diffs.begin(write);
  diffs.settle(write, false);
  expect(diffs.of({ path: join(root, "a.txt"), content: "third" })).toMatchObject({ oldText: "new" });
  const made = { path: "b.txt", content: "x" };
  await diffs.expect(made);
  expect(diffs.of(made)).toMatchObject({ oldText: null, newText: "x" });
});

test("what was not read when the write began is not told, also not later", async () => {
  const root = folder({ "a.txt": "old" });
  const diffs = new FileDiffs(root);
  const write = { path: "a.txt", content: "new" };
  const reading = diffs.expect(write);
  diffs.begin(write);
  writeFileSync(join(root, "a.txt"), "new");
  await reading;
  expect(diffs.of(write)).toBeUndefined();
  diffs.settle(write, true);
  await diffs.expect(write);
  expect(diffs.of(write)).toMatchObject({ oldText: "new" });
});

test.each([
  ["no text", { path: "bin", content: "x" }],
  ["too big", { path: "big", content: "x" }],
  ["made too big", { path: "a.txt", content: "x".repeat(300_000) }],
  ["a link out of the folder", { path: "link", content: "x" }],
  ["outside", { path: "../a.txt", content: "x" }],
  ["elsewhere", { path: "/etc/hostname", content: "x" }],
  ["a folder", { path: ".", content: "x" }],
  ["a path with NUL", { path: "a\0", content: "x" }],
  ["no path", { content: "x" }],
  ["no object", "a.txt"],
])("a file that is %s shows no difference", async (_name, input) => {
  const root = folder({ bin: Buffer.from([0, 1]), big: "x".repeat(300_000), "a.txt": "a" });
  symlinkSync("/etc/hostname", join(root, "link"));
  const diffs = new FileDiffs(root);
  await diffs.expect(input);
  expect(diffs.of(input)).toBeUndefined();
});
