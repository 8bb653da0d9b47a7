import { beforeEach, describe, expect, it } from "vitest";
import { readTrust } from "../../src/trust/index.ts";
import { answeringScript, makeCliFixture, type CliFixture } from "./support/cli-fixture.ts";
import { Terminal } from "./support/terminal.ts";

let fixture: CliFixture;
beforeEach(async () => {
  fixture = await makeCliFixture();
  await fixture.write("workspace/guard.sh", answeringScript({ decision: "allow" }), 0o700);
  await fixture.ownHooks({ name: "guard", command: ["./guard.sh"] });
});

const isTrusted = async (): Promise<boolean> =>
  (await readTrust({ trustFile: fixture.trustFile, workspace: fixture.workspace })).length > 0;
const question = "Type yes";

// S12
describe("basis-hooks trust at a terminal", () => {
  it("shows the hooks, asks, and takes the whole word yes", async () => {
    const terminal = new Terminal(fixture, ["trust"]);
    await terminal.saw(question);
    expect(terminal.output).toContain("./guard.sh");
    terminal.type("yes\r");
    expect(await terminal.ended).toBe(0);
    expect(await isTrusted()).toBe(true);
  });

  it.each(["y", "no", "", "yes please", "\u001b[Dyes", "YES"])("takes %j for a no", async (answer) => {
    const terminal = new Terminal(fixture, ["trust"]);
    await terminal.saw(question);
    terminal.type(`${answer}\r`);
    expect(await terminal.ended).toBe(5);
    expect(terminal.output).toContain("nothing was changed");
    expect(await isTrusted()).toBe(false);
  });

  it.each([
    ["a line", "yes\r", "\r"],
    ["the beginning of one", "ye", "s\r"],
  ])("does not take %s that was typed before the question for the answer", async (_, early, later) => {
    const terminal = new Terminal(fixture, ["trust"]);
    terminal.type(early);
    await terminal.saw(question);
    terminal.type(later);
    expect(await terminal.ended).toBe(5);
    expect(await isTrusted()).toBe(false);
  });

  it("ends without a yes when it is interrupted or the input ends", async () => {
    const interrupted = new Terminal(fixture, ["trust"]);
    await interrupted.saw(question);
    interrupted.type("\u0003");
    expect(await interrupted.ended).toBe(130);
    const ended = new Terminal(fixture, ["trust"]);
    await ended.saw(question);
    ended.type("\u0004");
    expect(await ended.ended).toBe(5);
    expect(await isTrusted()).toBe(false);
  });

  it("records nothing when the hooks changed after they were shown, and asks an agent nothing", async () => {
    const terminal = new Terminal(fixture, ["trust"]);
    await terminal.saw(question);
    await fixture.write("workspace/guard.sh", answeringScript({ decision: "deny" }), 0o700);
    terminal.type("yes\r");
    expect(await terminal.ended).toBe(5);
    expect(terminal.output).toContain("it changed after it was shown");
    const agents = new Terminal(fixture, ["trust"], { BASIS_LINEAGE: "1" });
    expect(await agents.ended).toBe(5);
    expect(agents.output).not.toContain(question);
    expect(await isTrusted()).toBe(false);
  });

  it("shows escape sequences, bidirectional and invisible characters of a repository", async () => {
    const corpus = ["\u001b[2J", "\u009b1m", "\u202E", "\u2066", "\u200B", "\u00A0", "\u3164", "\uFEFF"];
    await fixture.ownHooks(
      ...corpus.map((text, index) => ({
        name: `h${index}`,
        command: ["true", `a${text}b`],
        tools: [`t${text}`],
      })),
    );
    const terminal = new Terminal(fixture, ["trust"], { NO_COLOR: "1" });
    await terminal.saw(question);
    expect(terminal.output).toContain("a\\u{202e}b");
    for (const text of corpus) expect(terminal.output).not.toContain(text);
    terminal.type("no\r");
    expect(await terminal.ended).toBe(5);
  });
});
