import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { answeringScript, makeCliFixture, type CliFixture } from "./support/cli-fixture.ts";

let fixture: CliFixture;
beforeEach(async () => {
  fixture = await makeCliFixture();
});

const WORKER = `
import { createInterface } from "node:readline";
console.log(JSON.stringify({ hook_worker: 1 }));
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify({ id: JSON.parse(line).id, decision: "allow" }));
`;

describe("basis-hooks bench", () => {
  it("asks each hook alone as often as told, and says how it stands to its timeout", async () => {
    await fixture.write("workspace/deny.sh", answeringScript({ decision: "deny" }), 0o700);
    await fixture.write("workspace/worker.mjs", WORKER);
    await fixture.ownHooks(
      { name: "denies", command: ["/bin/sh", "deny.sh"], tools: ["run"], input: { "/command": "git *" } },
      { name: "worker", command: [process.execPath, "worker.mjs"], mode: "worker" },
      { name: "never", command: ["/bin/sh", "deny.sh"], tools: [] },
    );
    await fixture.run(["trust", "--yes"]);
    const { code, document } = await fixture.json(["bench", "--runs", "3"]);
    expect(document).toMatchObject({
      hooks: [
        { name: "denies", runs: 3, ok: true, median_ms: expect.any(Number), start_ms: expect.any(Number) },
        { name: "worker", mode: "worker", runs: 3, ok: true, first_ms: expect.any(Number) },
        { name: "never", ok: true, remarks: ["is never asked: its 'tools' is empty"] },
      ],
    });
    expect(code).toBe(0);
    const { stdout } = await fixture.run(["bench", "--runs", "2"]);
    expect(stdout).toMatch(/hook +mode +runs +median +p99 +of timeout +start/);
    expect(stdout).toMatch(/2 worker +worker +2 .* once/);
    expect(stdout).toContain("3 hooks measured");
  });

  it("exits with 1 for a hook that is slow against its timeout, and for one that cannot answer", async () => {
    const slow = 'sleep 0.6; echo \'{"decision":"allow"}\'';
    await fixture.globalHooks(
      { name: "slow", command: ["/bin/sh", "-c", slow], timeout_ms: 1000 },
      { name: "silent", command: ["true"] },
    );
    const { code, stdout } = await fixture.run(["bench", "--runs", "1"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/1 slow is slow: it took .* of the 1\.0 s it has/);
    expect(stdout).toContain("2 silent could not answer: it printed nothing");
  });

  it("refuses hooks that nobody trusted and runs nothing", async () => {
    await fixture.write("workspace/guard.sh", "#!/bin/sh\ntouch ran\n", 0o700);
    await fixture.ownHooks({ name: "guard", command: ["./guard.sh"] });
    const { code, stderr } = await fixture.run(["bench"]);
    expect(code).toBe(5);
    expect(stderr).toContain("basis-hooks trust");
    expect(existsSync(join(fixture.workspace, "ran"))).toBe(false);
    expect((await fixture.run(["bench", "--no-global"], { cwd: fixture.globalDir })).stdout).toContain(
      "no hooks",
    );
  });
});
