import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { callOf, CLAUDE, claudeSettings, makeFixture } from "./support/fixture.ts";
import { failed } from "./support/outcomes.ts";

describe("what a Claude hook gets", () => {
  it("is one JSON object and a newline, its vendor's variables, and nothing of the host's secrets", async () => {
    const fixture = await makeFixture();
    await fixture.settings(
      CLAUDE,
      claudeSettings("cat > seen.json; env > env.txt; tail -c1 seen.json | xxd -p >> env.txt"),
    );
    const hostEnv = { ...process.env, OPENAI_API_KEY: "canary", GRANTED: "yes" };
    await fixture.ask("run", { argv: ["ls", "a b"] }, { hostEnv, env: ["GRANTED"] });
    const env = await readFile(`${fixture.workspace}/env.txt`, "utf8");
    expect(env).toContain(`CLAUDE_PROJECT_DIR=${fixture.workspace}`);
    expect(env).toContain("GRANTED=yes");
    expect(env).not.toContain("canary");
    const seen = await readFile(`${fixture.workspace}/seen.json`, "utf8");
    expect(seen.endsWith("}\n")).toBe(true);
    expect(JSON.parse(seen)).toEqual({
      session_id: "main",
      transcript_path: "",
      cwd: fixture.workspace,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls 'a b'" },
      tool_use_id: "call-1",
    });
  });
});

describe("a Claude hook that breaks", () => {
  it.each([
    ["hangs", "sleep 60", { timeout: 0.3 }, "did not answer within 300ms"],
    ["is killed", "kill -9 $$", {}, "exited with a signal"],
    ["is missing", "./no-such-guard", {}, "exited with code 127"],
    ["prints half an answer", `printf '{"decision":"blo'`, {}, "it is not one JSON object"],
    [
      "logs before it decides",
      `echo checking; echo '{"decision":"block"}'`,
      {},
      "its decision is not all that it printed",
    ],
  ])(
    "that %s denies, and is let through as Claude does only when faithful",
    async (_name, command, more, failure) => {
      const fixture = await makeFixture();
      await fixture.settings(CLAUDE, claudeSettings(command, more));
      const outcome = await fixture.ask("run", { argv: ["ls"] });
      expect(outcome.decision).toBe("deny");
      expect("reason" in outcome && outcome.reason).toContain(failure);
      expect(await fixture.ask("run", { argv: ["ls"] }, { level: "faithful" })).toEqual({
        decision: "allow",
      });
    },
  );

  it("keeps what its entry says about failing, at either level", async () => {
    const fixture = await makeFixture();
    await fixture.settings(CLAUDE, claudeSettings("exit 3", { onFailure: "continue" }));
    expect(await fixture.ask("run", { argv: ["ls"] })).toEqual({ decision: "allow" });
    await fixture.settings(CLAUDE, claudeSettings("exit 3", { onFailure: "block" }));
    const block = await fixture.ask("run", { argv: ["ls"] }, { level: "faithful" });
    expect(block).toEqual(failed("exited with code 3"));
  });

  it("in the background decides nothing, and ends with the host", async () => {
    const fixture = await makeFixture();
    await fixture.settings(CLAUDE, claudeSettings("sleep 60; exit 2", { async: true }));
    const { chain, dialects } = await fixture.open();
    expect(await chain.beforeCall(callOf("run", { argv: ["ls"] }))).toEqual({ decision: "allow" });
    await chain.close();
    await dialects.close();
  });
});
