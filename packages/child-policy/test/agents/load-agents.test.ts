import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadAgents } from "../../src/agents/index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agents-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(folder, name), text);
const agent = (name: string, body = "Do it."): string => `---\nname: ${name}\n---\n${body}\n`;

interface Failed {
  readonly details: { readonly problems: readonly { readonly file: string }[] };
}

describe("a folder of agent files", () => {
  it("is loaded by name, other files and folders are left alone", async () => {
    write("2.md", agent("alpha"));
    write("1.md", agent("beta"));
    write("notes.txt", "nothing");
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub", "3.md"), "broken");
    const { agents } = await loadAgents(folder);
    expect(agents.map(({ name, file }) => [name, file])).toEqual([
      ["alpha", join(folder, "2.md")],
      ["beta", join(folder, "1.md")],
    ]);
  });

  // S2
  it("names every file that has to be guarded, by its bytes", async () => {
    write("a.md", agent("alpha"));
    const { guardFiles } = await loadAgents(folder);
    const sha256 = createHash("sha256").update(agent("alpha")).digest("hex");
    expect(guardFiles).toEqual([{ path: join(folder, "a.md"), sha256 }]);
  });

  it("that is not there has no agents; one that cannot be read is an error", async () => {
    expect(await loadAgents(join(folder, "none"))).toEqual({ agents: [], guardFiles: [] });
    write("file", "x");
    await expect(loadAgents(join(folder, "file"))).rejects.toMatchObject({ code: "agent_files" });
    symlinkSync(join(folder, "gone"), join(folder, "dangling"));
    await expect(loadAgents(join(folder, "dangling"))).rejects.toMatchObject({ code: "agent_files" });
  });

  it("tells the problems of all its files", async () => {
    write("a.md", agent("alpha"));
    write("b.md", agent("alpha"));
    write("c.md", "---\nname: c\ntolls: x\n---\n");
    write("d.md", Uint8Array.of(0xff, 0xfe));
    write("e.md", "x".repeat(256 * 1024 + 1));
    symlinkSync(join(folder, "a.md"), join(folder, "f.md"));
    mkdirSync(join(folder, "g.md"));
    const error = await loadAgents(folder).catch(
      (cause: unknown) => cause as { details: { problems: unknown } },
    );
    expect(error).toMatchObject({
      code: "agent_files",
      details: {
        problems: [
          {
            file: join(folder, "b.md"),
            line: 1,
            problem: `the name 'alpha' is also that of ${join(folder, "a.md")}`,
          },
          { file: join(folder, "c.md"), line: 3, problem: expect.stringContaining("did you mean 'tools'?") },
          { file: join(folder, "d.md"), problem: "is not UTF-8 text" },
          { file: join(folder, "e.md"), problem: "is larger than 262144 bytes" },
          { file: join(folder, "f.md"), problem: expect.stringContaining("is a symbolic link") },
          { file: join(folder, "g.md"), problem: "is not a regular file" },
        ],
      },
    });
  });

  it("takes files and folders up to their limits", async () => {
    write("a.md", agent("alpha").padEnd(256 * 1024, "x"));
    for (let at = 1; at < 1000; at += 1) symlinkSync(join(folder, "a.md"), join(folder, `b${at}.md`));
    const full = (await loadAgents(folder).catch((error: unknown) => error)) as Failed;
    expect(full.details.problems).toHaveLength(999);
    expect(full.details.problems.map(({ file }) => file)).not.toContain(join(folder, "a.md"));
    symlinkSync(join(folder, "a.md"), join(folder, "c.md"));
    await expect(loadAgents(folder)).rejects.toMatchObject({
      details: { problems: [{ problem: "holds more than 1000 agent files" }] },
    });
  });

  it("asks the host what a model name stands for, and stops with the signal", async () => {
    write("a.md", "---\nname: a\nmodel: small\n---\n");
    const models = (name: string) => ({ provider: "p", id: `${name}-1` });
    const { agents } = await loadAgents(folder, { models });
    expect(agents[0]?.spec.model).toEqual({ provider: "p", id: "small-1" });
    await expect(loadAgents(folder, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
  });
});
