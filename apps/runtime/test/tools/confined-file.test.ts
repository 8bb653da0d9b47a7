import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { MAX_FILE_BYTES, readConfined, writeConfined } from "../../src/tools/confined-file.ts";
import { ToolFailure } from "../../src/tools/tool.ts";

let root: string;
let outside: string;

beforeEach(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "basis-confined-")));
  root = join(base, "workspace");
  outside = join(base, "outside.txt");
  mkdirSync(root);
  writeFileSync(outside, "secret");
  writeFileSync(join(root, "inside.txt"), "inside");
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
});

const { signal } = new AbortController();
const write = (path: string, content = "written"): Promise<string> =>
  writeConfined(root, { path, content, signal });
const at = (path: string): string => join(root, path);

describe("reading", () => {
  test.each(["inside.txt", "./inside.txt", "missing/../inside.txt"])(
    "opens a file inside: %s",
    async (path) => {
      expect((await readConfined(root, path)).toString()).toBe("inside");
    },
  );

  test.each(["../outside.txt", "/etc/hostname", "a/../../outside.txt"])(
    "refuses a path outside: %s",
    async (path) => {
      await expect(readConfined(root, path)).rejects.toThrow("is outside the workspace");
    },
  );

  test("refuses a link, and follows a directory's link only as far as the workspace reaches", async () => {
    symlinkSync(outside, at("link.txt"));
    symlinkSync(dirname(outside), at("up"));
    mkdirSync(at("real"));
    writeFileSync(at("real/file.txt"), "file");
    symlinkSync("real", at("way"));
    await expect(readConfined(root, "link.txt")).rejects.toThrow(ToolFailure);
    await expect(readConfined(root, "up/outside.txt")).rejects.toThrow("is outside the workspace");
    expect((await readConfined(root, "way/file.txt")).toString()).toBe("file");
  });

  test("refuses a directory", async () => {
    await expect(readConfined(root, ".")).rejects.toThrow("is a directory");
  });

  test("refuses a file beyond 8 MiB, and reads one of exactly that", async () => {
    writeFileSync(at("large"), Buffer.alloc(MAX_FILE_BYTES + 1));
    writeFileSync(at("whole"), Buffer.alloc(MAX_FILE_BYTES));
    await expect(readConfined(root, "large")).rejects.toThrow("at most 8388608 are read");
    expect((await readConfined(root, "whole")).length).toBe(MAX_FILE_BYTES);
  });

  test("refuses a path with a NUL", async () => {
    await expect(readConfined(root, "inside.txt\0.png")).rejects.toThrow("NUL");
  });
});

describe("writing", () => {
  test("makes what is missing, and replaces what is there", async () => {
    expect(await write("a/b/new.txt")).toBe("a/b/new.txt");
    expect(readFileSync(at("a/b/new.txt"), "utf8")).toBe("written");
    await write("inside.txt", "x");
    expect(readFileSync(at("inside.txt"), "utf8")).toBe("x");
  });

  test("changes nothing outside, by whatever link", async () => {
    symlinkSync(outside, at("link.txt"));
    symlinkSync(dirname(outside), at("up"));
    symlinkSync(join(dirname(outside), "made-by-link.txt"), at("dangling.txt"));
    for (const path of ["link.txt", "up/outside.txt", "up/new/file.txt", "dangling.txt", "../new.txt"])
      await expect(write(path)).rejects.toThrow(ToolFailure);
    expect(readFileSync(outside, "utf8")).toBe("secret");
    expect(existsSync(join(dirname(outside), "made-by-link.txt"))).toBe(false);
    expect(existsSync(join(dirname(outside), "new"))).toBe(false);
  });

  // S14
  test("refuses a file with a second hard link and leaves it whole", async () => {
    linkSync(outside, at("hard.txt"));
    await expect(write("hard.txt")).rejects.toThrow("another hard link");
    expect(readFileSync(outside, "utf8")).toBe("secret");
  });

  test("replaces a file and keeps its mode, and leaves nothing else beside it", async () => {
    chmodSync(at("inside.txt"), 0o754);
    await write("inside.txt", "new");
    expect(readFileSync(at("inside.txt"), "utf8")).toBe("new");
    expect((statSync(at("inside.txt")).mode & 0o777).toString(8)).toBe("754");
    expect(readdirSync(root)).toEqual(["inside.txt"]);
  });

  test("does nothing once its turn is over", async () => {
    const over = AbortSignal.abort(new Error("over"));
    await expect(writeConfined(root, { path: "new/file.txt", content: "x", signal: over })).rejects.toThrow(
      "over",
    );
    expect(existsSync(at("new"))).toBe(false);
  });
});
