import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pinProgram, readTrust, trustWorkspace } from "@basis/hooks/trust";
import { expect, onTestFinished, test } from "vitest";

function workspace(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "basis-pin-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["server.mjs", "lib.mjs"]) writeFileSync(join(root, name), `// ${name}`);
  return root;
}

const server = { name: "server", command: ["node", "server.mjs"], files: ["lib.mjs"] };
const env = { PATH: process.env["PATH"] };

// S8
test("a program is pinned with its script and its declared files, and found once", async () => {
  const root = workspace();
  const pin = await pinProgram(server, { workspace: root, env });
  expect(pin).toMatchObject({ program: "host", unpinned: [] });
  expect(pin.files.map(({ path }) => path)).toEqual(["lib.mjs", "server.mjs"]);
  expect(realpathSync(pin.programPath!)).toBe(realpathSync(process.execPath));
});

test("its pins are those that a hook of the same command has", async () => {
  const root = workspace();
  const pin = await pinProgram(server, { workspace: root, env });
  mkdirSync(join(root, ".basis"));
  writeFileSync(join(root, ".basis/hooks.json"), JSON.stringify({ schema: 1, hooks: [server] }));
  const data = realpathSync(mkdtempSync(join(tmpdir(), "basis-data-")));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const trustFile = join(data, "trust.json");
  await trustWorkspace({ workspace: root, trustFile, env });
  const [record] = await readTrust({ trustFile, workspace: root });
  expect(record!.entries).toMatchObject([{ program: pin.program, files: pin.files, unpinned: [] }]);
});

test.each([
  ["the script", "server.mjs"],
  ["a declared file", "lib.mjs"],
])("%s changes the pin", async (_what, name) => {
  const root = workspace();
  const before = await pinProgram(server, { workspace: root, env });
  writeFileSync(join(root, name), "// other");
  expect((await pinProgram(server, { workspace: root, env })).files).not.toEqual(before.files);
});

test.each([
  ["a package runner", ["npx", "x"], []],
  ["a program that is not there", ["no-such-program"], []],
  ["a variable that loads code", ["node", "server.mjs"], ["NODE_OPTIONS"]],
])("%s says why its code is not fixed", async (_what, command, given) => {
  const pin = await pinProgram({ name: "x", command, env: given }, { workspace: workspace(), env });
  expect(pin.unpinned).toHaveLength(1);
});
