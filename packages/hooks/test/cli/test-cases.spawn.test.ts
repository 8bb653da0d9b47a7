import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { answeringScript, makeCliFixture, type CliFixture } from "./support/cli-fixture.ts";

let fixture: CliFixture;
beforeEach(async () => {
  fixture = await makeCliFixture();
  await fixture.write("workspace/deny.sh", answeringScript({ decision: "deny", reason: "not today" }), 0o700);
  await fixture.write("workspace/allow.sh", answeringScript({ decision: "allow" }), 0o700);
  await fixture.ownHooks(
    { name: "no-push", command: ["./deny.sh"], tools: ["run"], input: { "/command": "git push*" } },
    { name: "watcher", command: ["./allow.sh"] },
  );
});

const push = { tool_name: "run", input: { command: "git push" } };
const pull = { tool_name: "run", input: { command: "git pull" } };
const cases = (...list: object[]) =>
  fixture.write("workspace/.basis/hook-cases.json", JSON.stringify({ schema: 1, cases: list }, null, 2));

describe("basis-hooks test", () => {
  it("runs the cases of the workspace, filters too, and reports each", async () => {
    await fixture.run(["trust", "--yes"]);
    await cases(
      {
        name: "pushing is denied",
        call: push,
        expect: { decision: "deny", reason: "not today", asked: ["no-push"], not_asked: ["watcher"] },
      },
      {
        name: "pulling is not looked at",
        call: pull,
        expect: { decision: "allow", input: pull.input, asked: ["watcher"], not_asked: ["no-push"] },
      },
    );
    const { code, stdout } = await fixture.run(["test"]);
    expect(stdout).toMatch(
      /^ok {4}pushing is denied .*\nok {4}pulling is not looked at .*\n2 cases: 2 passed/,
    );
    expect(code).toBe(0);
  });

  it("exits with 1 for a failed case and says in what it differs", async () => {
    const path = await cases({
      name: "pushing is fine",
      call: push,
      expect: { decision: "allow", asked: ["watcher"] },
    });
    const { code, stdout } = await fixture.run(["test", "--run-untrusted"]);
    expect(code).toBe(1);
    expect(stdout).toContain("FAIL  pushing is fine");
    expect(stdout).toContain('decision: expected "allow", got "deny"');
    expect(stdout).toContain("hook 'watcher' was not asked; asked: 'no-push'");
    expect(stdout).toContain("1 case: 0 passed, 1 failed");
    const { document } = await fixture.json(["test", path, "--run-untrusted"]);
    expect(document).toMatchObject({ failed: 1, cases: [{ passed: false, outcome: { decision: "deny" } }] });
  });

  it("refuses hooks that nobody trusted and runs nothing", async () => {
    await fixture.write("workspace/deny.sh", "#!/bin/sh\ntouch ran\n", 0o700);
    await cases({ name: "pushing is denied", call: push, expect: { decision: "deny" } });
    const { code, stderr } = await fixture.run(["test"]);
    expect(code).toBe(5);
    expect(stderr).toContain("basis-hooks trust");
    expect(existsSync(join(fixture.workspace, "ran"))).toBe(false);
  });

  it("prints a first case file that passes the schema of cases and runs", async () => {
    const { code, stdout } = await fixture.run(["test", "--init"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      cases: [
        { name: "no-push is asked", call: { input: { command: "git push" } } },
        { name: "watcher is asked" },
      ],
    });
    const path = await fixture.write("workspace/first.json", stdout);
    expect((await fixture.run(["test", path, "--run-untrusted"])).stdout).toContain("2 passed");
  });

  it("refuses a case file that is wrong or missing, naming the line", async () => {
    const missing = await fixture.run(["test"]);
    expect(missing).toMatchObject({ code: 5, stderr: expect.stringContaining("there is no file") });
    await cases({ name: "a", call: push, expects: {} });
    const { code, stderr } = await fixture.run(["test"]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/hook-cases\.json:\d+: unknown key 'expects' in a case; did you mean 'expect'\?/);
  });
});
