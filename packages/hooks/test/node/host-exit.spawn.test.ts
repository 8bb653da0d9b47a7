import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { makeFixture } from "./workspace-fixture.ts";

const entry = new URL("../../dist/node/index.js", import.meta.url).href;

describe("a host that exits while a hook runs", () => {
  it("takes the hook's processes along", async () => {
    const fixture = await makeFixture();
    const host = `
      import { existsSync } from "node:fs";
      import { openHooks } from ${JSON.stringify(entry)};
      const command = ["/bin/sh", "-c", "trap '' TERM; echo $$ > pid; sleep 30"];
      const workspace = ${JSON.stringify(fixture.workspace)};
      const specs = [{ name: "hook", command, timeout_ms: 30000 }];
      const hooks = await openHooks({ workspace, specs, discovery: false });
      hooks.beforeCall({ agentId: "a", toolName: "t", toolCallId: "c", inputJson: "{}" });
      setInterval(() => existsSync(workspace + "/pid") && setTimeout(() => process.exit(0), 100), 20);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", host], { stdio: "ignore" });
    await once(child, "exit");
    const pid = Number(await readFile(join(fixture.workspace, "pid"), "utf8"));
    const isAlive = () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    for (let tries = 0; isAlive() && tries < 200; tries += 1) await sleep(25);
    expect(isAlive()).toBe(false);
  });
});
