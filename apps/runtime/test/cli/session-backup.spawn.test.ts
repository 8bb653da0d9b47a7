import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";
import { daysAgo, writeSession } from "./support/store-of-old.ts";

let bench: Bench;
let file: string;
beforeAll(async () => {
  bench = new Bench();
  file = join(bench.base, "copy.db");
  await daysAgo(bench, 1, async (state) => void (await writeSession(state, "kept", { messages: 300 })));
});
afterAll(() => bench.remove());

const shown = async (data: string): Promise<string> =>
  (await bench.run(["sessions", "show", "kept", "--json"], { env: { BASIS_DATA_DIR: data } })).stdout;

describe("basis sessions backup", () => {
  it("writes a copy that opens as a store with the same sessions", async () => {
    const ended = await bench.run(["sessions", "backup", file, "--json"]);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toEqual({ file, bytes: statSync(file).size, redactions: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const restored = join(bench.base, "restored");
    mkdirSync(restored, { mode: 0o700 });
    copyFileSync(file, join(restored, "sessions.db"));
    expect(await shown(restored)).toBe(await shown(bench.data));
    const next = await bench.run(
      ["run", "go on", "--session", "kept", "--model", bench.script([{ text: "yes" }])],
      {
        env: { BASIS_DATA_DIR: restored },
      },
    );
    expect(next).toMatchObject({ code: 0, stdout: "yes\n" });
  });

  it("overwrites nothing (2), and tells where it cannot write (1)", async () => {
    const taken = join(bench.base, "taken");
    writeFileSync(taken, "mine");
    expect(await bench.run(["sessions", "backup", taken])).toMatchObject(refused(2, "there is a file"));
    expect(statSync(taken).size).toBe(4);
    const nowhere = join(bench.base, "missing", "copy.db");
    const ended = await bench.run(["sessions", "backup", nowhere, "--json"]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("no backup was made") });
    expect(JSON.parse(ended.stdout)).toMatchObject({ code: "backup_failed" });
    expect(await bench.run(["sessions", "backup"])).toMatchObject(refused(2, "FILE is missing"));
  });

  it("killed on the way leaves no file of that name, and the store as it was", async () => {
    const before = await shown(bench.data);
    for (const afterMs of [150, 200, 250, 300, 350]) {
      const target = join(bench.base, `killed-${afterMs}.db`);
      const running = bench.start(["sessions", "backup", target]);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      running.kill("SIGKILL");
      await running.ended;
      const whole = readdirSync(bench.base).includes(`killed-${afterMs}.db`);
      // Whole, or not there by that name.
      expect(whole ? statSync(target).size : statSync(file).size).toBe(statSync(file).size);
    }
    expect(await shown(bench.data)).toBe(before);
  });
});
