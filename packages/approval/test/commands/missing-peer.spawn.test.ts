import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../../../", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "approval-alone-"));
afterAll(() => rmSync(project, { recursive: true, force: true }));
const program = `
import { ApprovalError } from "@basis/approval";
import { openCommandRules } from "@basis/approval/commands";
try {
  await openCommandRules();
  console.log("opened");
} catch (error) {
  console.log(JSON.stringify({ is: ApprovalError.is(error), ...error.toJSON(), cause: undefined }));
}`;

/** The built package in a project of its own, as an install without the peer leaves it. */
function layOut(parts: readonly string[]): void {
  for (const [name, folders] of [
    ["core", ["dist"]],
    ["approval", parts],
  ] as const) {
    const target = join(project, "node_modules/@basis", name);
    mkdirSync(target, { recursive: true });
    cpSync(join(packages, name, "package.json"), join(target, "package.json"));
    for (const folder of folders)
      cpSync(join(packages, name, folder), join(target, folder), { recursive: true });
  }
}

function start(): unknown {
  writeFileSync(join(project, "program.mjs"), program);
  const { stdout, stderr } = spawnSync(process.execPath, ["program.mjs"], { cwd: project, encoding: "utf8" });
  if (stderr !== "") throw new Error(stderr);
  return stdout === "opened\n" ? "opened" : JSON.parse(stdout);
}

describe("opening command rules", () => {
  it("without the peer names the package and the version", () => {
    layOut(["dist", "grammar"]);
    expect(start()).toMatchObject({
      is: true,
      code: "missing_peer",
      message: expect.stringContaining("npm install web-tree-sitter@^0.27.0"),
      details: { package: "web-tree-sitter", version: "^0.27.0" },
    });
  });

  it("with the peer and without the grammar says so; with both it opens", () => {
    rmSync(join(project, "node_modules"), { recursive: true });
    layOut(["dist"]);
    const peer = join(packages, "approval/node_modules/web-tree-sitter");
    cpSync(peer, join(project, "node_modules/web-tree-sitter"), { recursive: true, dereference: true });
    expect(start()).toMatchObject({
      code: "grammar_failed",
      details: { file: expect.stringMatching(/bash\.wasm\.br$/) },
    });
    layOut(["dist", "grammar"]);
    expect(start()).toBe("opened");
  });
});
