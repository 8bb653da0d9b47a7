import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, onTestFinished, test } from "vitest";

const built = pathToFileURL(join(import.meta.dirname, "../../dist/tools/confined-file.js")).href;
let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "basis-confined-")));
  writeFileSync(join(root, "kept.txt"), "what was there\n".repeat(100));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

/** Writes 64 kB under a limit on file sizes, which stands for a disk that is full half-way. */
function writeUnder(limit: string): string {
  const script = `import { writeConfined } from ${JSON.stringify(built)};
    const write = { path: "kept.txt", content: "y".repeat(65536), signal: new AbortController().signal };
    await writeConfined(${JSON.stringify(root)}, write).then(() => console.log("written"), (e) => console.log(e.code ?? e.message));`;
  const shell = `ulimit -f ${limit}; exec "${process.execPath}" --input-type=module -e '${script.replaceAll("'", "'\\''")}'`;
  return execFileSync("/bin/sh", ["-c", shell], { encoding: "utf8" }).trim();
}

test("a disk that is full half-way leaves the old file whole and nothing beside it", () => {
  expect(writeUnder("unlimited")).toBe("written");
  expect(readFileSync(join(root, "kept.txt"), "utf8")).toBe("y".repeat(65_536));
  writeFileSync(join(root, "kept.txt"), "what was there");
  expect(writeUnder("8")).toBe("EFBIG");
  expect(readFileSync(join(root, "kept.txt"), "utf8")).toBe("what was there");
  expect(readdirSync(root)).toEqual(["kept.txt"]);
});

test("a kill in the middle leaves the old content or the new", () => {
  const script = `import { writeConfined } from ${JSON.stringify(built)};
    setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(process.argv[1]));
    for (let n = 0; ; n += 1) {
      const write = { path: "kept.txt", content: String(n % 10).repeat(2_000_000), signal: new AbortController().signal };
      await writeConfined(${JSON.stringify(root)}, write);
    }`;
  for (const ms of [5, 15, 25, 40, 60]) {
    spawnSync(process.execPath, ["--input-type=module", "-e", script, String(ms)]);
    const text = readFileSync(join(root, "kept.txt"), "utf8");
    const whole =
      text === "what was there\n".repeat(100) || (text.length === 2_000_000 && new Set(text).size === 1);
    expect(whole).toBe(true);
  }
});
