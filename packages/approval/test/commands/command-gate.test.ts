import { describe, expect, it } from "vitest";
import { openCommandRules } from "../../src/commands/index.ts";
import {
  decideByRules,
  type ApprovalRequest,
  type ApprovalRule,
  type CommandPattern,
} from "../../src/index.ts";
import { allow, commandCall, deny, gateWith } from "../fixtures.ts";
import { shellCall } from "./corpus.ts";

const commands = await openCommandRules({ gitMayRun: () => false });
const rule = (command: CommandPattern, effect: "allow" | "deny" = "allow"): ApprovalRule => ({
  toolName: "spawn",
  effect,
  scope: "session",
  pattern: { command },
});
const spawned = (body: string, change: object = {}): ApprovalRequest => ({
  ...commandCall,
  input: { input: `!${body}` },
  preview: { ...(commandCall.preview as object), body, ...change },
});
const run = (...argv: string[]): ApprovalRequest => ({
  callKey: "run",
  agentId: "main",
  toolName: "run",
  input: { argv },
  effect: "command",
  cwd: "/repo",
});
const decide = (call: ApprovalRequest, ...rules: ApprovalRule[]) =>
  decideByRules(
    rules.map((one, at) => ({ ...one, toolName: call.toolName, id: `rule-${at}`, createdAt: 0 })),
    call,
    { nowMs: 1, commands },
  );
const git = rule({ words: ["git"], rest: "any" });

describe("an allow rule for commands", () => {
  // R1
  it("for `git` allows `git status`, not `git status && rm -rf /`", async () => {
    const { gate, approver } = gateWith(deny, { rules: [git], commands });
    expect(await gate.authorize(spawned("git status"))).toMatchObject({ decision: "allow" });
    expect(approver.asked).toHaveLength(0);
    expect(await gate.authorize(spawned("git status && rm -rf /"))).toMatchObject({ decision: "deny" });
    expect(approver.asked).toHaveLength(1);
  });

  // R2
  it.each([
    "git log $(rm x)",
    "git log `rm x`",
    "git diff <(rm x)",
    "git apply <<EOF\n$(rm x)\nEOF",
    "git status\nrm x",
    "env rm x",
    "sudo git status",
    "bash -c 'git status; rm x'",
    "git ls-files | xargs rm",
  ])("for `git` is not walked past by %j", (body) => {
    expect(decide(spawned(body), git)).toBeUndefined();
    expect(decide(spawned("git ls-files | git check-ignore --stdin"), git)?.effect).toBe("allow");
  });

  it("allows what several rules name together, and names the rules", () => {
    const ls = { ...rule({ words: ["ls"], rest: "any" }), scope: "global" } as const;
    const decided = decide(spawned("git status && ls -la"), ls, git);
    expect(decided).toMatchObject({ effect: "allow", rule: { id: "rule-1" } });
    expect(decided?.rules?.map(({ id }) => id).toSorted()).toEqual(["rule-0", "rule-1"]);
    expect(decide(spawned("git status && ls -la"), git)).toBeUndefined();
  });

  it("reads an argv as one command of literal words", () => {
    const echo = rule({ words: ["echo"], rest: "any" });
    expect(decide(run("echo", "$(rm x)", "; rm x", "&&", "*"), echo)?.effect).toBe("allow");
    expect(decide(run("echo ", "x"), echo)).toBeUndefined();
    expect(decide(run("A=1", "echo", "x"), echo)).toBeUndefined();
    expect(decide(run("sh", "-c", "echo x"), echo)).toBeUndefined();
    expect(decide(run("sh", "-c", "echo x"), echo, rule({ words: ["sh", "-c"], rest: "any" }))?.effect).toBe(
      "allow",
    );
    expect(decide(run("echo", "a\0b"), echo)).toBeUndefined();
  });

  it("holds for its directory and target only", () => {
    const here = rule({ words: ["ls"], cwd: "/repo" });
    expect(decide(spawned("ls"), here)?.effect).toBe("allow");
    expect(decide(spawned("ls", { cwd: "/repo/sub" }), here)).toBeUndefined();
    expect(decide(spawned("ls", { target: "prod" }), here)).toBeUndefined();
    expect(decide(spawned("./build.sh"), rule({ words: ["./build.sh"], cwd: "/repo" }))?.effect).toBe(
      "allow",
    );
    expect(decide(spawned("./build.sh"), rule({ words: ["./build.sh"] }))).toBeUndefined();
    expect(decide(spawned("ls", { target: "prod" }), rule({ words: ["ls"], target: "prod" }))?.effect).toBe(
      "allow",
    );
  });

  // S18
  it("lapses when the call gains a field", () => {
    const ls = rule({ words: ["ls"] });
    expect(decide(spawned("ls", { env: { A: "1" } }), ls)).toBeUndefined();
    expect(decide({ ...run("ls"), input: { argv: ["ls"], env: {} } }, ls)).toBeUndefined();
    expect(decide(run("ls"), ls)?.effect).toBe("allow");
  });

  it("never allows a call that is no command", () => {
    const call = { ...spawned("ls"), preview: { body: "ls", cwd: "/", mode: "agent", target: "local" } };
    expect(decide(call, rule({ words: ["ls"] }))).toBeUndefined();
    expect(decide(call, rule({ words: ["ls"] }, "deny"))).toBeUndefined();
  });

  // S14
  it("allows git only where the host says that its configuration runs nothing", async () => {
    const asked: unknown[] = [];
    const says = async (gitMayRun: ((call: unknown) => boolean) | undefined, body = "git status") => {
      const judge = await openCommandRules({ gitMayRun });
      const ls = rule({ words: ["ls"] });
      const rules = [git, ls].map((one, at) => ({ ...one, id: `${at}`, createdAt: 0 }));
      return decideByRules(rules, shellCall(body), { nowMs: 1, commands: judge })?.effect;
    };
    expect(await says((call) => Boolean(asked.push(call)) && false)).toBe("allow");
    expect(asked).toEqual([shellCall("git status")]);
    expect(await says(() => true)).toBeUndefined();
    expect(await says(undefined)).toBeUndefined();
    expect(await says(() => undefined as never)).toBeUndefined();
    expect(
      await says(() => {
        throw new Error("no such directory");
      }),
    ).toBeUndefined();
    expect(await says(undefined, "ls")).toBe("allow");
  });
});

describe("a denial for commands", () => {
  const rm = rule({ words: ["rm"] }, "deny");

  // R3
  it("for `rm` catches all ways of R2, and stands above an allow", async () => {
    const { gate, approver } = gateWith(allow, { rules: [rm, git], commands });
    for (const body of ["git status && rm -rf /", "echo $(rm x)", "echo `rm x`", "cat <(rm x)", "env rm x"]) {
      expect(await gate.authorize(spawned(body))).toMatchObject({ decision: "deny" });
    }
    for (const body of [
      "sudo rm x",
      "bash -c 'rm x'",
      "ls | xargs rm",
      "cat <<EOF\n$(rm x)\nEOF",
      "ls\nrm x",
    ]) {
      expect(await gate.authorize(spawned(body))).toMatchObject({
        decision: "deny",
        by: expect.stringMatching(/^rule /),
      });
    }
    expect(approver.asked).toHaveLength(0);
    expect(await gate.authorize(spawned("echo rm"))).toMatchObject({ decision: "allow" });
  });

  it("applies to what cannot be read, and says why", async () => {
    const { gate } = gateWith(allow, { rules: [rm], commands });
    expect(await gate.authorize(spawned("echo 'x"))).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("cannot be read wholly: the shell grammar finds an error in it"),
    });
    expect(await gate.authorize({ ...run("ls"), toolName: "spawn", input: {} })).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("the call shows no command"),
    });
  });

  it("finds the program in an argv, however it is carried", () => {
    for (const argv of [
      ["rm", "x"],
      ["/bin/rm"],
      ["sh", "-c", "ls;rm x"],
      ["env", "A=1", "rm"],
      ["sh"],
      [""],
    ]) {
      expect(decide(run(...argv), rm)?.effect).toBe("deny");
    }
    expect(decide(run("echo", "rm"), rm)).toBeUndefined();
  });

  it("for another place does not apply", () => {
    expect(
      decide(spawned("rm x", { cwd: "/other" }), rule({ words: ["rm"], cwd: "/repo" }, "deny")),
    ).toBeUndefined();
    expect(decide(spawned("rm x"), rule({ words: ["rm"], cwd: "/repo" }, "deny"))?.effect).toBe("deny");
    expect(decide(spawned("rm x"), rule({ words: ["rm"], target: "prod" }, "deny"))).toBeUndefined();
  });
});

describe("without somebody who reads commands", () => {
  it("a command rule never allows and always denies", async () => {
    const { gate } = gateWith(deny, { rules: [git] });
    expect(await gate.authorize(spawned("git status"))).toMatchObject({
      decision: "deny",
      reason: "not today",
    });
    const denying = gateWith(allow, { rules: [rule({ words: ["rm"] }, "deny")] });
    expect(await denying.gate.authorize(spawned("ls"))).toMatchObject({ decision: "deny" });
  });

  it("a reader that throws denies like any other failure", async () => {
    const broken = {
      view: () => {
        throw new Error("parser gone");
      },
    };
    const { gate } = gateWith(deny, { rules: [git], commands: broken });
    expect(await gate.authorize(spawned("git status"))).toMatchObject({
      decision: "deny",
      reason: "not today",
    });
    const denying = gateWith(allow, { rules: [rule({ words: ["rm"] }, "deny")], commands: broken });
    expect(await denying.gate.authorize(spawned("ls"))).toMatchObject({ decision: "deny" });
  });
});
