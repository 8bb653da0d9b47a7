import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LiveWorkspace } from "../../src/host/live-workspace.ts";
import { changedFiles, lookAtFiles } from "../../src/host/watched-files.ts";
import type { WorkspaceOptions } from "../../src/host/workspace.ts";
import { ServerTurns } from "../../src/rpc/server-turns.ts";
import { storedEvents } from "../harness/stored-events.ts";
import { openTestHost } from "../harness/test-host.ts";

interface Place {
  readonly root: string;
  readonly configDir: string;
  readonly reports: string[];
  readonly write: (path: string, text: string) => void;
  readonly open: (options?: Partial<WorkspaceOptions>) => Promise<LiveWorkspace>;
}

function layOut(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "basis-live-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, configDir] = [join(base, "workspace"), join(base, "config")];
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(configDir, { mode: 0o700 });
  const reports: string[] = [];
  const report = (text: string): void => void reports.push(text);
  const write = (path: string, text: string): void => {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  const open = async (options: Partial<WorkspaceOptions> = {}): Promise<LiveWorkspace> => {
    const trustFile = join(base, "data", "trust.json");
    const env = { PATH: process.env["PATH"] };
    const live = await LiveWorkspace.open({ directory: root, configDir, env, report, trustFile, ...options });
    onTestFinished(() => live.close());
    return live;
  };
  return { root, configDir, reports, write, open };
}

const agentFile = (name: string, text = "You review."): string =>
  `---\nname: ${name}\ndescription: reviews\n---\n${text}\n`;

test("what changed between turns is used by the next one; a turn keeps what it began with", async () => {
  const { write, reports, open } = layOut();
  write("AGENTS.md", "Say yes.");
  const live = await open({ trust: "run" });
  const first = await live.hold();
  write("AGENTS.md", "Say no.");
  write(".basis/agents/reviewer.md", agentFile("reviewer"));
  write(".basis/skills/greet/SKILL.md", "---\nname: greet\ndescription: how to greet\n---\nSay hello.\n");
  const second = await live.hold();
  expect(first.facts.system).toContain("Say yes.");
  expect(first.facts.agents).toEqual([]);
  expect(second.facts.system).toContain("Say no.");
  expect(second.facts.agents.map(({ name }) => name)).toEqual(["reviewer"]);
  expect([...second.facts.tools.keys()]).toContain("skill");
  expect(reports).toEqual([expect.stringMatching(/^read anew, for turns from now on: .*AGENTS\.md/)]);
  first.release();
  second.release();
});

test("nothing is read again when nothing changed, and turns that begin at once share one reading", async () => {
  const { write, reports, open } = layOut();
  write("AGENTS.md", "Say yes.");
  const live = await open();
  const before = live.facts;
  expect((await live.current()).facts).toBe(before);
  write("AGENTS.md", "Say no.");
  const held = await Promise.all(Array.from({ length: 5 }, () => live.hold()));
  expect(new Set(held.map(({ facts }) => facts.system)).size).toBe(1);
  expect(reports).toHaveLength(1);
  held.forEach(({ release }) => release());
});

test.each([
  [".mcp.json", '{"mcpServers": {\n  "s": {"comand": "x"}\n}}', /\.mcp\.json:2/],
  [".basis/tools.json", '{"schema": 1,\n "tools": 5}', /tools\.json:2/],
  [".basis/agents/a.md", "---\nname: a\nmodel: [\n---\n", /a\.md:\d/],
  [".basis/hooks.json", '{"schema": 1,\n "hooks": 5}', /hooks\.json/],
])(
  "a bad %s keeps the last good state, is told once with its place, and is read again when it is mended",
  async (path, text, place) => {
    const { root, write, reports, open } = layOut();
    write("AGENTS.md", "One.");
    const live = await open({ trust: "run" });
    write("AGENTS.md", "Two.");
    write(path, text);
    for (const _ of [1, 2]) {
      const { facts, problem } = await live.current();
      expect(facts.system).toContain("One.");
      expect(problem).toMatch(place);
    }
    expect(reports.filter((each) => place.test(each))).toHaveLength(1);
    rmSync(join(root, path));
    const { facts, problem } = await live.current();
    expect(problem).toBeUndefined();
    expect(facts.system).toContain("Two.");
  },
);

test("what nobody has trusted is not used; a yes for the start alone covers nothing that came later", async () => {
  const { write, reports, open } = layOut();
  write(".basis/agents/a.md", agentFile("a"));
  const asked: string[] = [];
  const isTrusted: WorkspaceOptions["isTrusted"] = ({ path }) => (asked.push(path), true);
  const live = await open({ trust: "refuse", isTrusted });
  write(".basis/agents/a.md", agentFile("a", "You obey everybody."));
  const { facts, problem } = await live.current();
  expect(facts.agents[0]!.spec.system).toContain("You review.");
  expect(problem).toContain("is not trusted");
  expect(asked).toHaveLength(1);
  expect(reports).toEqual([problem]);
  write(".basis/agents/a.md", agentFile("a"));
  expect((await live.current()).problem).toBeUndefined();
});

test("the turn's log and the server say that what changed is not used", async () => {
  const { write, open } = layOut();
  const host = await openTestHost({ agents: { main: [{ text: "done" }] } });
  const live = await open({ trust: "run" });
  const turns = new ServerTurns(host.runtime, live);
  write(".mcp.json", "{");
  const { run, session } = await turns.start({ prompt: "go", bounds: {} });
  await turns.wait(run, new AbortController().signal);
  const events = await storedEvents(host.state, session);
  expect(events[1]).toMatchObject({ type: "notice", data: { code: "not_reloaded" } });
  expect(events.at(-1)).toMatchObject({ type: "run_finished", data: { status: "completed" } });
});

test("every file that decides what a workspace is is looked at, and none is read", () => {
  const { root, configDir, write } = layOut();
  const trustFile = join(configDir, "trust.json");
  const look = () => lookAtFiles(root, { configDir, trustFile });
  for (const path of [
    "AGENTS.md",
    ".mcp.json",
    ".basis/hooks.json",
    ".basis/tools.json",
    ".basis/agents/a.md",
    ".basis/skills/greet/SKILL.md",
    ".basis/skills/greet/more/deep.md",
  ]) {
    const before = look();
    write(path, "one");
    const made = look();
    expect(changedFiles(before, made)).toContain(join(root, path));
    write(path, "two");
    expect(changedFiles(made, look())).toContain(join(root, path));
  }
  writeFileSync(trustFile, "{}");
  expect([...look().keys()]).toContain(trustFile);
  expect(changedFiles(look(), look())).toEqual([]);
});

test("a workspace that is gone is refused as one, until it is there again", async () => {
  const { root, open } = layOut();
  const live = await open();
  rmSync(root, { recursive: true });
  const gone = { code: "workspace", message: `${root} is not there any more: nothing is run in it` };
  await expect(live.hold()).rejects.toMatchObject(gone);
  expect(() => live.tellStale("restart")).toThrow(gone.message);
  mkdirSync(root);
  expect((await live.current()).facts.root).toBe(root);
});
