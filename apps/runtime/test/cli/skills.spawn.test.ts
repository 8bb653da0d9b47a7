import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const path = ".basis/skills/release-notes/SKILL.md";
const skill = `---
name: release-notes
description: Writes the notes of a release.
allowed-tools: run
---
Read references/form.md first.
`;
const load = (input: object) => ({ calls: [{ name: "skill", input: input as { name: string } }] });

function layOut(): void {
  bench.write(path, skill);
  bench.write(".basis/skills/release-notes/references/form.md", "The form.\n");
}

describe("a skill of the workspace", () => {
  it("is listed in the system text and loaded by name, with the files beside it and nothing else", async () => {
    layOut();
    bench.write("secret.txt", "not of the skill");
    const recorded = join(bench.base, "run.cassette");
    const model = bench.script([
      load({ name: "release-notes" }),
      load({ name: "release-notes", file: "./references/form.md" }),
      load({ name: "release-notes", file: "../../../secret.txt" }),
      load({ name: "release-note" }),
      { calls: [{ name: "run", input: { argv: ["true"] } }] },
      { calls: [{ name: "write", input: { path, content: "other" } }] },
      { text: "done" },
    ]);
    const argv = ["run", "go on", "--json", "--approve", "always", "--model", model];
    const ended = await bench.run([...argv, "--trust-workspace", "--record", recorded]);
    expect(ended.code).toBe(0);
    const outputs = ended
      .events()
      .flatMap((event) => (event.type === "tool_completed" ? [event.data.output] : []));
    expect(outputs).toEqual([
      "Read references/form.md first.\n\n[files of this skill, by the tool skill: references/form.md]",
      "The form.\n",
      expect.stringContaining("there is no file of skill 'release-notes' called '../../../secret.txt'"),
      expect.stringContaining("did you mean 'release-notes'?"),
      // What a skill asks to be allowed is granted by nothing.
      expect.stringContaining("there is no tool 'run'"),
      expect.stringContaining("is read-only for tools"),
    ]);
    const shown = await bench.run(["inspect"]);
    expect(shown.stdout).toMatch(
      /skills\n {2}release-notes +\S+release-notes +Writes the notes of a release\./,
    );
    const json = JSON.parse((await bench.run(["inspect", "--json"])).stdout) as { skills: unknown };
    expect(json.skills).toMatchObject([{ name: "release-notes", asks_for_tools: ["run"] }]);
    expect(readFileSync(recorded, "utf8")).toContain("- release-notes: Writes the notes of a release.");
  });

  // S4
  it("refuses the start until it is trusted, and again once a byte of its folder changed", async () => {
    layOut();
    const argv = ["run", "go on", "--model", bench.script([{ text: "done" }])];
    expect(await bench.run(argv)).toMatchObject(
      refused(5, ".basis/skills is not trusted; it would tell agents what to do: 'release-notes'"),
    );
    expect((await bench.run(["inspect"])).stdout).toContain("is not trusted; left out: release-notes");
    expect((await bench.run(["trust", "--yes"])).code).toBe(0);
    expect((await bench.run(argv)).code).toBe(0);
    bench.write(".basis/skills/release-notes/references/form.md", "Another form.\n");
    expect(await bench.run(argv)).toMatchObject(refused(5, "skill 'release-notes': 'files' changed"));
  });

  it("that is wrong refuses the start before anything else, naming file and line", async () => {
    layOut();
    const argv = ["run", "go on", "--model", bench.script([{ text: "done" }]), "--trust-workspace"];
    bench.write(path, skill.replace("description:", "descripton:"));
    bench.write(".basis/skills/empty/README.md", "no skill");
    symlinkSync("/etc/hostname", join(bench.workspace, ".basis/skills/release-notes/link"));
    expect(await bench.run(argv)).toMatchObject(
      refused(
        5,
        ".basis/skills/empty/SKILL.md: ",
        "release-notes/SKILL.md: 'link' beside it is no regular file",
      ),
    );
    bench.write(path, skill);
    expect(await bench.run(["inspect"])).toMatchObject({ code: 5 });
  });
});

describe("a skill of the operator", () => {
  it("needs no trust, is loaded from the configuration directory, and shares its name with none of the workspace", async () => {
    bench.write(
      join(bench.config, "skills/mine/SKILL.md"),
      "---\nname: mine\ndescription: mine alone\n---\nMine.\n",
    );
    bench.write(join(bench.config, "skills/mine/extra.md"), "More.\n");
    const model = bench.script([
      load({ name: "mine" }),
      load({ name: "mine", file: "extra.md" }),
      { text: "done" },
    ]);
    const argv = ["run", "go on", "--json", "--model", model];
    const ended = await bench.run(argv);
    const outputs = ended
      .events()
      .flatMap((event) => (event.type === "tool_completed" ? [event.data.output] : []));
    expect(outputs).toEqual([expect.stringMatching(/^Mine\./), "More.\n"]);
    bench.write(".basis/skills/mine/SKILL.md", "---\nname: mine\ndescription: not yours\n---\nOther.\n");
    expect(await bench.run([...argv, "--trust-workspace"])).toMatchObject(
      refused(5, "you have a skill 'mine' in your configuration directory; rename one"),
    );
  });
});
