import { describe, expect, it } from "vitest";
import type { ApprovalRule, CommandPattern } from "../src/index.ts";
import { deny, gateWith } from "./fixtures.ts";

const rule = (command: CommandPattern, effect: "allow" | "deny" = "allow"): ApprovalRule => ({
  toolName: "spawn",
  effect,
  scope: "session",
  pattern: { command },
});

describe("a command pattern that means nothing", () => {
  it.each([
    [{ words: [] }, "pattern.command.words"],
    [{ words: "git status" }, "pattern.command.words"],
    [{ words: ["git status"] }, "pattern.command.words"],
    [{ words: ["A&B"] }, "pattern.command.words"],
    [{ words: [""] }, "pattern.command.words"],
    [{ words: ["ls"], rest: "some" }, "pattern.command.rest"],
    [{ words: ["ls"], assign: "A=1" }, "pattern.command.assign"],
    [{ words: ["ls"], redirect: [1] }, "pattern.command.redirect"],
    [{ words: ["ls"], cwd: 1 }, "pattern.command.cwd"],
    [{ words: ["./build.sh"] }, "pattern.command.cwd"],
    [{ words: ["scripts/build.sh"], rest: "any" }, "pattern.command.cwd"],
    [{ words: ["ls"], wordz: [] }, "pattern.command.wordz"],
    [7, "pattern.command"],
  ])("is refused naming the field: %j", async (command, field) => {
    const { gate } = gateWith(deny);
    await expect(gate.remember(rule(command as never))).rejects.toMatchObject({
      code: "invalid_rule",
      details: { field },
    });
  });

  it("is a denial with a tolerance; without one both are kept", async () => {
    const { gate } = gateWith(deny);
    await expect(gate.remember(rule({ words: ["rm"], rest: "any" }, "deny"))).rejects.toMatchObject({
      code: "invalid_rule",
    });
    expect((await gate.remember(rule({ words: ["rm"] }, "deny"))).effect).toBe("deny");
    expect((await gate.remember(rule({ words: ["ls"], rest: "any" }))).effect).toBe("allow");
    expect((await gate.remember(rule({ words: ["./build.sh"], cwd: "/repo" }))).effect).toBe("allow");
    expect((await gate.remember(rule({ words: ["./rm"] }, "deny"))).effect).toBe("deny");
  });
});
