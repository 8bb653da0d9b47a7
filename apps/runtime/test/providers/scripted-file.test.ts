import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonValue } from "@basis/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkShape } from "../../src/input/check-shape.ts";
import { isModelError, type FileProblem } from "../../src/providers/model-error.ts";
import { parseScript, readScript, scriptedFileSchema } from "../../src/providers/scripted-file.ts";

const whole = {
  schema: 1,
  agents: {
    main: {
      rounds: [
        { text: "Reading.", calls: [{ id: "c1", name: "read", input: { path: "a" } }] },
        [{ when: { session: "left", contains: "go" }, text: "left" }, { text: "right" }],
        { terminal: "{}", finish: "length", usage: { inputTokens: 3 } },
        { error: { code: "overloaded", message: "busy" } },
        {},
      ],
    },
    triage: { rounds: [] },
  },
};

function problemsOf(source: string): readonly FileProblem[] {
  try {
    parseScript(source, "demo.json");
  } catch (error) {
    if (isModelError(error) && error.code === "scripted_file") return error.details.problems;
    throw error;
  }
  return [];
}

/** The whole file with one value put somewhere else in it. */
function changed(pointer: string, value: unknown): string {
  const copy = structuredClone(whole) as unknown as Record<string, unknown>;
  const path = pointer.slice(1).split("/");
  let holder = copy;
  for (const token of path.slice(0, -1)) holder = holder[token] as Record<string, unknown>;
  holder[path.at(-1) ?? ""] = value;
  return JSON.stringify(copy, null, 2);
}

describe("a scripted file", () => {
  test("is read as it stands", () => {
    expect(parseScript(JSON.stringify(whole), "demo.json")).toEqual({ file: "demo.json", content: whole });
  });

  test.each([
    ["/schema", 2, "/schema", "must be 1"],
    ["/agents", [], "/agents", "must be an object, not array"],
    ["/agents/main/rounds", {}, "/agents/main/rounds", "must be an array, not object"],
    ["/agents/main/rounds/0", "hi", "/agents/main/rounds/0", "must be an object or an array, not string"],
    ["/agents/main/rounds/1/0/text", 1, "/agents/main/rounds/1/0/text", "must be a string, not number"],
    ["/agents/main/rounds/0/tool", [], "/agents/main/rounds/0/tool", '"tool" is not known here'],
    ["/agents/main/rounds/0/calls/0", { name: "x" }, "/agents/main/rounds/0/calls/0", '"input" is missing'],
    ["/agents/main/rounds/0/calls/0/name", "", "/agents/main/rounds/0/calls/0/name", "must not be empty"],
    ["/agents/main/rounds/2/finish", "done", "/agents/main/rounds/2/finish", 'must be one of "stop"'],
    [
      "/agents/main/rounds/2/usage/inputTokens",
      -1,
      "/agents/main/rounds/2/usage/inputTokens",
      "must be 0 or more",
    ],
    [
      "/agents/main/rounds/2/usage/inputTokens",
      0.5,
      "/agents/main/rounds/2/usage/inputTokens",
      "must be an integer",
    ],
    ["/agents/main/rounds/3/error", {}, "/agents/main/rounds/3/error", '"code" is missing'],
    [
      "/agents/main/rounds/4/when",
      { sesion: "x" },
      "/agents/main/rounds/4/when/sesion",
      "known are session, contains",
    ],
  ])("with %s set to %j is refused at its place and line", (pointer, value, where, message) => {
    const source = changed(pointer, value);
    const [problem, ...others] = problemsOf(source);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ pointer: where, message: expect.stringContaining(message) });
    const line = source.split("\n")[(problem?.line ?? 0) - 1] ?? "";
    const key = where.split("/").at(-1) ?? "";
    expect(line).toContain(/^\d+$/.test(key) ? (typeof value === "string" ? value : "{") : `"${key}"`);
  });

  test("tells every problem at once, each with file and line", () => {
    const source = '{\n"schema": 2,\n"agents": {"main": {"rounds": [\n{"txt": "x"}]}}}';
    expect(() => parseScript(source, "demo.json")).toThrow(
      /^demo\.json:2: \/schema: must be 1\ndemo\.json:4: \/agents\/main\/rounds\/0\/txt: /,
    );
  });

  test.each([
    ["{\n\n  nonsense", 3],
    ['{"schema":1,\n"schema":1,"agents":{}}', 2],
    ["", 1],
  ])("that is not one JSON document is refused with the line: %j", (source, line) => {
    expect(problemsOf(source)).toMatchObject([{ pointer: "", line }]);
  });

  test("an agent may be called like a property of every object", () => {
    const { content } = parseScript('{"schema":1,"agents":{"toString":{"rounds":[]}}}', "demo.json");
    expect(Object.keys(content.agents)).toEqual(["toString"]);
  });
});

describe("the published schema", () => {
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(scriptedFileSchema);

  test("says the same as the reader, whatever the value", () => {
    const leaf = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.integer({ min: -2, max: 2 }),
      fc.constant(null),
      fc.boolean(),
    );
    const keys = [
      "text",
      "calls",
      "id",
      "name",
      "input",
      "terminal",
      "finish",
      "usage",
      "error",
      "code",
      "when",
      "session",
    ];
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("tree"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom("round", "agent", "file"), (value, place) => {
        const agent = place === "agent" ? value : { rounds: [value] };
        const file: JsonValue = place === "file" ? value : { schema: 1, agents: { main: agent } };
        expect(checkShape(scriptedFileSchema, file).length === 0).toBe(validate(file));
      }),
      { numRuns: 2000 },
    );
  });

  test("accepts the whole example", () => {
    expect(validate(whole)).toBe(true);
  });
});

describe("reading from disk", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "scripted-"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test("takes a file and refuses one that is not there, naming it", async () => {
    const file = join(directory, "demo.json");
    await expect(readScript(file)).rejects.toMatchObject({
      code: "scripted_file",
      message: `${file}: there is no such file`,
    });
    await writeFile(file, JSON.stringify(whole));
    expect((await readScript(file)).content).toEqual(whole);
  });

  test("refuses what is no file", async () => {
    await expect(readScript(directory)).rejects.toMatchObject({
      code: "scripted_file",
      message: expect.stringContaining("not a regular file"),
    });
  });

  test("ends with the caller's reason when aborted", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(readScript(join(directory, "none.json"), { signal })).rejects.toThrow("stop");
  });
});
