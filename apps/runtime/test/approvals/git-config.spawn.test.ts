import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { gitMayRun } from "../../src/approvals/git-config.ts";

let base: string;
let root: string;
let home: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "basis-git-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  [root, home] = [join(base, "workspace"), join(base, "home")];
  for (const directory of [root, home]) mkdirSync(directory);
  git("init", "-q");
});

const env = (): Record<string, string> => ({
  PATH: process.env["PATH"]!,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: "1",
});
const git = (...argv: readonly string[]): string =>
  execFileSync("git", argv, { cwd: root, env: env(), encoding: "utf8" });

function mayRun(cwd = root): boolean {
  const call = { agentId: "main", toolName: "run", input: { argv: ["git", "status"] } };
  return gitMayRun(env)({ ...call, workspace: root, cwd });
}

// S14
describe("git in a repository", () => {
  test("that was only made starts nothing", () => {
    expect(mayRun()).toBe(false);
  });

  test("with everyday settings, remotes and branches starts nothing", () => {
    git("remote", "add", "origin", "https://example.org/x.git");
    git("remote", "add", "mine", "git@example.org:x/y.git");
    git("config", "branch.main.remote", "origin");
    git("config", "branch.topic.remote", ".");
    git("config", "branch.topic.pushRemote", "mine");
    git("config", "remote.pushDefault", "origin");
    git("config", "user.email", "a@example.org");
    expect(mayRun()).toBe(false);
  });

  const settings: readonly (readonly [string, string])[] = [
    ["core.fsmonitor", "./x"],
    ["core.hooksPath", "hooks"],
    ["core.pager", "./x"],
    ["core.editor", "./x"],
    ["core.sshCommand", "./x"],
    ["core.askPass", "./x"],
    ["core.gitProxy", "./x"],
    ["core.attributesFile", "./attributes"],
    ["alias.status", "!./x"],
    ["alias.log", "log -p"],
    ["pager.status", "./x"],
    ["filter.x.clean", "./x"],
    ["filter.x.process", "./x"],
    ["diff.external", "./x"],
    ["diff.x.textconv", "./x"],
    ["diff.x.command", "./x"],
    ["merge.x.driver", "./x"],
    ["mergetool.x.cmd", "./x"],
    ["credential.helper", "!./x"],
    ["credential.https://example.org.helper", "./x"],
    ["gpg.program", "./x"],
    ["gpg.ssh.program", "./x"],
    ["sequence.editor", "./x"],
    ["uploadpack.packObjectsHook", "./x"],
    ["remote.origin.uploadpack", "./x"],
    ["remote.origin.receivepack", "./x"],
    ["remote.origin.vcs", "x"],
    ["remote.origin.url", "ext::sh -c ./x"],
    ["remote.origin.url", "../other"],
    ["branch.main.remote", "folder"],
    ["branch.main.pushRemote", "../other"],
    ["remote.pushDefault", "folder"],
    ["url.ext::sh.insteadOf", "https://"],
    ["protocol.ext.allow", "always"],
    ["interactive.diffFilter", "./x"],
    ["trailer.x.command", "./x"],
    ["submodule.x.update", "!./x"],
    ["include.path", "../more"],
    ["a.setting-of-tomorrow", "x"],
  ];

  test.each(settings)("may start something by %s = %s", (key, value) => {
    git("config", key, value);
    expect(mayRun()).toBe(true);
  });

  test("may start something by a file that its settings include", () => {
    writeFileSync(join(root, ".git", "more"), "[core]\n\tpager = ./x\n");
    appendFileSync(join(root, ".git", "config"), "[include]\n\tpath = more\n");
    expect(mayRun()).toBe(true);
  });

  test("may start a hook that is there, and not a sample of one", () => {
    mkdirSync(join(root, ".git", "hooks"), { recursive: true });
    writeFileSync(join(root, ".git", "hooks", "pre-commit.sample"), "");
    expect(mayRun()).toBe(false);
    writeFileSync(join(root, ".git", "hooks", "post-index-change"), "#!/bin/sh\n", { mode: 0o755 });
    expect(mayRun()).toBe(true);
  });

  test("may read the settings of a repository below that it holds", () => {
    const inner = join(root, "inner");
    git("init", "-q", inner);
    execFileSync(
      "git",
      ["-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "--allow-empty", "-m", "x"],
      {
        cwd: inner,
        env: env(),
      },
    );
    expect(mayRun()).toBe(false);
    execFileSync("git", ["add", "inner"], { cwd: root, env: env(), stdio: "ignore" });
    expect(mayRun()).toBe(true);
  });

  test("may start something where a file of submodules lies", () => {
    writeFileSync(join(root, ".gitmodules"), "");
    expect(mayRun()).toBe(true);
  });

  test("does not take settings that lie in the workspace for the user's own", () => {
    writeFileSync(join(home, ".gitconfig"), "[alias]\n\tst = status\n");
    expect(mayRun()).toBe(false);
    home = join(root, "home");
    mkdirSync(home);
    writeFileSync(join(home, ".gitconfig"), "[alias]\n\tst = status\n");
    expect(mayRun()).toBe(true);
  });

  test("leaves the user's own settings to the user, unless they lead into the workspace", () => {
    const own = join(home, ".gitconfig");
    writeFileSync(own, `[core]\n\tpager = less\n[alias]\n\tst = status\n`);
    expect(mayRun()).toBe(false);
    writeFileSync(own, `[core]\n\thooksPath = ./.hooks\n`);
    expect(mayRun()).toBe(true);
    writeFileSync(own, `[include]\n\tpath = ${join(root, "config")}\n`);
    writeFileSync(join(root, "config"), "[core]\n\tpager = x\n");
    expect(mayRun()).toBe(true);
  });

  test("counts as starting something where git cannot say: no repository, damaged settings, no folder", () => {
    writeFileSync(join(root, ".git", "config"), "[core\n");
    expect(mayRun()).toBe(true);
    rmSync(join(root, ".git"), { recursive: true });
    expect(mayRun()).toBe(true);
    expect(() =>
      gitMayRun(env)({ agentId: "a", toolName: "run", input: {}, workspace: join(base, "gone") }),
    ).toThrow("ENOENT");
  });
});
