import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "typed-output-lint-"));
const program = join(import.meta.dirname, "../../dist/cli/typed-output.js");
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(directory, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const closed = {
  description: "A person.",
  type: "object",
  properties: { name: { type: "string", description: "As on the card." } },
  required: ["name"],
  additionalProperties: false,
};
const plain = file("plain.json", closed);
const long = file("long.json", { ...closed, properties: { name: { type: "string", maxLength: 3 } } });
const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] };
const endless = file("endless.json", {
  type: "object",
  properties: { a: { $ref: "#/$defs/node" } },
  $defs: { node },
});

// case 18
describe("typed-output lint", () => {
  it("has nothing to say of a schema that every provider takes as it is", () => {
    const { status, stdout } = run("lint", plain, "--provider", "openai,anthropic", "--strict");
    expect(status).toBe(0);
    expect(stdout).toBe(`${plain}\n  openai: as written\n  anthropic: as written\n`);
  });

  it("shows what is moved, where, and warns of fields without a description", () => {
    const { status, stdout } = run("lint", long, "--provider", "openai");
    expect(status).toBe(0);
    expect(stdout).toContain('warning at /properties/name: the field "name" has no description');
    expect(stdout).toContain("moved at /properties/name/maxLength: at most 3 characters");
    expect(run("lint", long, "--provider", "openai", "--strict").status).toBe(1);
  });

  it("fails on what a provider cannot be asked, and answers as JSON", () => {
    const { status, stdout } = run("lint", "--json", plain, endless, "--provider=gemini");
    expect(status).toBe(1);
    const { files } = JSON.parse(stdout);
    expect(files[1].providers[0]).toMatchObject({
      provider: "gemini",
      unsupported: [{ pointer: "/$defs/node/properties/next" }],
    });
    expect(files[0].providers[0].unsupported).toEqual([]);
  });

  it.each([
    ["a file that is not there", join(directory, "none.json"), "ENOENT"],
    ["a device", "/dev/zero", "not_a_file"],
    ["a file that is not JSON", file("bad.json", "{"), "not_json"],
    ["a schema that is unusable", file("async.json", { $async: true }), "definition_error"],
    ["a schema that is none", file("type.json", { type: "text" }), "schema_invalid"],
  ])("refuses %s, naming it", (_what, path, code) => {
    const { status, stdout } = run("lint", path);
    expect(status).toBe(5);
    expect(stdout).toContain(`${path}: ${code}: `);
    expect(stdout).not.toContain(`${code}: ${code}`);
  });

  it("refuses arguments that make no sense, saying which would", () => {
    expect(run("lint")).toMatchObject({ status: 2, stderr: expect.stringContaining("FILE is missing") });
    expect(run("lint", plain, "--provider", "opnai")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("did you mean 'openai'?"),
    });
    expect(run("lint", plain, "--what")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--what"),
    });
    expect(run("check")).toMatchObject({ status: 2, stderr: expect.stringContaining("lint") });
    expect(run("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--provider NAME") });
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
    expect(run("--version")).toMatchObject({ status: 0, stdout: `${version}\n` });
  });
});
