import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadOutputSpec } from "../../src/cli/arguments/output-option.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "basis-output-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function nested(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { items: schema };
  return { type: "object", properties: { deep: schema } };
}

async function load(text: string): Promise<string> {
  writeFileSync(join(directory, "answer.json"), text);
  return loadOutputSpec({ file: "answer.json", withTools: false, directory }).then(
    ({ name }) => name,
    (error: Error) => error.message,
  );
}

describe("the schema file of --output", () => {
  test("may be as large and as deep as one that lint takes, and begin with a byte order mark", async () => {
    expect(await load(JSON.stringify(nested(200)))).toBe("answer");
    expect(await load(`\uFEFF${JSON.stringify(nested(1))}`)).toBe("answer");
    const description = "x".repeat(2 * 1024 * 1024);
    expect(await load(JSON.stringify({ ...nested(1), description }))).toBe("answer");
  });

  test("is refused beyond that, with its line", async () => {
    expect(await load(JSON.stringify(nested(300)))).toMatch(/answer\.json:1: nested deeper than 256 levels/);
  });
});
