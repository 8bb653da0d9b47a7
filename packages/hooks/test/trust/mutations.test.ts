import { copyFile, rename, rm, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answering, makeTrustFixture, type TrustFixture } from "./trust-fixture.ts";

const first = {
  name: "first",
  command: [process.execPath, "first.mjs", "rules.json"],
  tools: ["run", "read"],
  effect: ["command", "write"],
  input: { "/command": "git *" },
  event: "pre_tool_use",
  timeout_ms: 4000,
  on_failure: "deny",
  mode: "process",
  env: ["CI"],
  shadow: false,
  files: ["lib/shared.mjs"],
};
const second = { name: "second", command: ["./second.sh"] };

async function trusted(): Promise<TrustFixture> {
  const fixture = await makeTrustFixture();
  await fixture.write("workspace/first.mjs", answering({ decision: "allow" }));
  await fixture.write("workspace/other.mjs", answering({ decision: "allow" }));
  await fixture.write("workspace/rules.json", "{}");
  await fixture.write("workspace/lib/shared.mjs", "export const n = 1;");
  await fixture.write("workspace/second.sh", "#!/bin/sh\n", 0o755);
  await fixture.ownHooks(first, second);
  await fixture.trust();
  return fixture;
}

type Mutation = (fixture: TrustFixture) => Promise<unknown>;
const entry =
  (change: object): Mutation =>
  ({ ownHooks }) =>
    ownHooks({ ...first, ...change }, second);
const content =
  (path: string, text: string): Mutation =>
  ({ write }) =>
    write(`workspace/${path}`, text, 0o755);
const without = (key: keyof typeof first): Mutation => {
  const { [key]: _left, ...rest } = first;
  return ({ ownHooks }) => ownHooks(rest, second);
};

const fields: readonly (readonly [string, Mutation])[] = [
  ["another name", entry({ name: "renamed" })],
  ["another script", entry({ command: [process.execPath, "other.mjs", "rules.json"] })],
  ["another program", entry({ command: ["sh", "first.mjs", "rules.json"] })],
  ["an argument more", entry({ command: [...first.command, "x"] })],
  ["an argument less", entry({ command: first.command.slice(0, 2) })],
  ["a tool less", entry({ tools: ["run"] })],
  ["a tool more", entry({ tools: ["run", "read", "write"] })],
  ["no tools", entry({ tools: [] })],
  ["all tools", without("tools")],
  ["tools in another order", entry({ tools: ["read", "run"] })],
  ["an effect less", entry({ effect: ["command"] })],
  ["an effect more", entry({ effect: ["command", "write", "read"] })],
  ["every effect", without("effect")],
  ["another glob", entry({ input: { "/command": "git push*" } })],
  ["another pointer", entry({ input: { "/argv": "git *" } })],
  ["no input filter", without("input")],
  ["another event", entry({ event: "post_tool_use" })],
  ["another deadline", entry({ timeout_ms: 4001 })],
  ["the deadline by default", without("timeout_ms")],
  ["failing open", entry({ on_failure: "allow" })],
  ["another variable", entry({ env: ["CI", "HOME"] })],
  ["no variables", without("env")],
  ["in the shadow", entry({ shadow: true })],
  ["files no longer declared", entry({ files: [] })],
  ["another file declared", entry({ files: ["lib/shared.mjs", "rules.json"] })],
];

const sets: readonly (readonly [string, Mutation])[] = [
  ["an entry gone", ({ ownHooks }) => ownHooks(second)],
  ["the last entry gone", ({ ownHooks }) => ownHooks(first)],
  ["every entry gone", ({ ownHooks }) => ownHooks()],
  ["the other order", ({ ownHooks }) => ownHooks(second, first)],
  ["one added at the end", ({ ownHooks }) => ownHooks(first, second, { ...second, name: "third" })],
  ["one added at the start", ({ ownHooks }) => ownHooks({ ...second, name: "third" }, first, second)],
  ["one twice", ({ ownHooks }) => ownHooks(first, second, second)],
  ["the file gone", ({ workspace }) => unlink(join(workspace, ".basis/hooks.json"))],
  ["the folder gone", ({ workspace }) => rm(join(workspace, ".basis"), { recursive: true })],
  ["the folder renamed", ({ workspace }) => rename(join(workspace, ".basis"), join(workspace, ".old"))],
  [
    "the file replaced by a link to the operator's",
    async ({ workspace, globalHooks }) => {
      const path = join(workspace, ".basis/hooks.json");
      await unlink(path);
      await symlink(await globalHooks({ name: "g", command: ["true"] }), path);
    },
  ],
];

const bytes: readonly (readonly [string, Mutation])[] = [
  ["the script's bytes", content("first.mjs", answering({ decision: "deny" }))],
  ["the program's bytes", content("second.sh", "#!/bin/sh\n\n")],
  ["a file among the arguments", content("rules.json", "{} ")],
  ["a declared file", content("lib/shared.mjs", "export const n = 2;")],
  ["the script gone", ({ workspace }) => unlink(join(workspace, "first.mjs"))],
  ["the program gone", ({ workspace }) => unlink(join(workspace, "second.sh"))],
  ["a declared file gone", ({ workspace }) => unlink(join(workspace, "lib/shared.mjs"))],
  [
    "the script a folder",
    ({ workspace, write }) =>
      unlink(join(workspace, "first.mjs")).then(() => write("workspace/first.mjs/index.mjs", "")),
  ],
  ["the program no longer executable", ({ write }) => write("workspace/second.sh", "#!/bin/sh\n", 0o600)],
  [
    "the script a link to another",
    async ({ workspace, write }) => {
      await unlink(join(workspace, "first.mjs"));
      await symlink(await write("workspace/evil.mjs", "evil"), join(workspace, "first.mjs"));
    },
  ],
];

// S3
describe.each([
  ["a field", fields],
  ["the set", sets],
  ["bytes", bytes],
])("a change of %s after it was trusted", (_name, mutations) => {
  it.each(mutations)("refuses in every mode, at open and at reload: %s", async (_name, mutate) => {
    const fixture = await trusted();
    const hooks = await fixture.open();
    await mutate(fixture);
    for (const trust of ["refuse", "skip", "run"] as const) {
      const isTrusted = (): boolean => true;
      await expect(fixture.open({ trust, isTrusted })).rejects.toMatchObject({ code: "modified_workspace" });
    }
    expect(await hooks.reload()).toMatchObject({ swapped: false, error: { code: "modified_workspace" } });
    expect(hooks.participants.map(({ name }) => name)).toEqual(["first", "second"]);
    const report = await fixture.inspect();
    expect(report.state).toBe("modified");
    expect(report.entries.some(({ state, why }) => state !== "trusted" && why !== undefined)).toBe(true);
  });
});

describe("what means the same", () => {
  it("stays trusted: defaults written out, keys in another order, spaces, copied files", async () => {
    const fixture = await trusted();
    const { command, ...rest } = first;
    await fixture.ownHooks(
      { ...rest, command },
      { ...second, event: "pre_tool_use", timeout_ms: 5000, env: [] },
    );
    await copyFile(join(fixture.workspace, "first.mjs"), join(fixture.workspace, "copy.mjs"));
    await rename(join(fixture.workspace, "copy.mjs"), join(fixture.workspace, "first.mjs"));
    expect((await fixture.open()).participants).toHaveLength(2);
    expect(await fixture.inspect()).toMatchObject({ state: "trusted" });
  });

  it("names in words what differs", async () => {
    const fixture = await trusted();
    await fixture.write("workspace/second.sh", "#!/bin/sh\nexit 1\n", 0o755);
    await fixture.ownHooks({ ...second, name: "new" }, second, { ...first, on_failure: "allow" });
    expect((await fixture.inspect()).entries).toMatchObject([
      { name: "new", state: "untrusted", why: "it was added after the others were trusted" },
      { name: "second", state: "modified", why: "second.sh changed" },
      { name: "first", state: "modified", why: "it moved from place 1 to 3; 'on_failure' changed" },
    ]);
    await fixture.ownHooks(second);
    expect((await fixture.inspect()).entries.at(-1)).toMatchObject({
      name: "first",
      state: "modified",
      why: "it was trusted and is gone",
    });
  });

  it("is trusted anew by saying so", async () => {
    const fixture = await trusted();
    await fixture.ownHooks(second);
    await fixture.trust();
    expect((await fixture.open()).participants).toHaveLength(1);
  });
});
