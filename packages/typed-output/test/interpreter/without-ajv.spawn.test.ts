import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const entry = pathToFileURL(join(import.meta.dirname, "../../dist/index.js")).href;

/** Judges two values in a fresh process and says whether ajv was loaded. */
const program = `
import { createRequire } from "node:module";
import { defineOutput } from ${JSON.stringify(entry)};
const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const compiled = await defineOutput({ name: "x", description: "", schema }).compile();
const loaded = Object.keys(createRequire(${JSON.stringify(entry)}).cache).some((path) => path.includes("/ajv/"));
console.log(JSON.stringify({ good: compiled.check({ a: 1 }).length, bad: compiled.check({ a: "x" }), loaded }));
`;

/** A loader that finds no ajv. */
const loader = `
export async function resolve(specifier, context, next) {
  if (!specifier.startsWith("ajv")) return next(specifier, context);
  throw Object.assign(new Error("Cannot find package " + specifier), { code: "ERR_MODULE_NOT_FOUND" });
}`;
const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const hide = dataUrl(`import { register } from "node:module"; register(${JSON.stringify(dataUrl(loader))});`);

function run(...flags: string[]): unknown {
  const args = [...flags, "--no-warnings", "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const verdicts = {
  good: 0,
  bad: [{ pointer: "/a", keyword: "type", message: "expected integer", kinds: ["integer"] }],
};

describe("a spec that names no validator", () => {
  it("is judged by ajv where it is installed and may generate code", () => {
    expect(run()).toEqual({ ...verdicts, loaded: true });
  });

  it("case 96: gives the same verdicts where code generation is forbidden", () => {
    expect(run("--disallow-code-generation-from-strings")).toMatchObject(verdicts);
  });

  it("gives the same verdicts where ajv is not installed", () => {
    expect(run("--import", hide)).toEqual({ ...verdicts, loaded: false });
  });
});
