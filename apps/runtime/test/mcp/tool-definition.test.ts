import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callOutcome } from "../../src/mcp/call-result.ts";
import { readDefinition } from "../../src/mcp/tool-definition.ts";
import { mcpToolName } from "../../src/mcp/tool-name.ts";
import { expandVariables, variablesOf } from "../../src/mcp/variables.ts";

const object = { type: "object" };

function definitionOf(more: object): ReturnType<typeof readDefinition> {
  return readDefinition({ name: "t", inputSchema: object, ...more });
}

describe("a definition", () => {
  test("shows control, bidirectional and invisible characters in every text that a model reads", () => {
    const text = "ok\u202e\u{e0041}\u0007";
    const inputSchema = {
      type: "object",
      description: text,
      properties: { default: { type: "string", description: text }, plain: { enum: [text], title: text } },
    };
    const reading = definitionOf({ description: text, inputSchema });
    const shown = String.raw`ok\u{202e}\u{e0041}\u{7}`;
    expect(reading).toMatchObject({
      ok: true,
      definition: {
        description: shown,
        inputSchema: {
          description: shown,
          properties: { default: { description: shown }, plain: { enum: [text], title: shown } },
        },
      },
    });
  });

  test.each([
    ["no name", { name: "" }, "its name is empty or too long"],
    ["a schema of a list", { inputSchema: { type: "array" } }, "no schema of an object"],
    ["no schema", { inputSchema: undefined }, "no schema of an object"],
    ["an answer's schema that is none", { outputSchema: "x" }, "outputSchema"],
    ["more than 64 KiB", { description: "x".repeat(70_000) }, "cannot be used"],
    [
      "a prototype's key",
      { inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') },
      "cannot be used",
    ],
  ])("with %s is left out", (_what, more, problem) => {
    expect(definitionOf(more)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  test("nested without end is left out", () => {
    let schema: object = {};
    for (let depth = 0; depth < 20_000; depth += 1) schema = { items: schema };
    expect(definitionOf({ inputSchema: { type: "object", properties: { a: schema } } }).ok).toBe(false);
  });

  test("leaves out what no provider needs, and keeps its claims apart", () => {
    const reading = definitionOf({
      inputSchema: { $schema: "http://json-schema.org/draft-07/schema#", type: "object" },
      annotations: { readOnlyHint: true, openWorldHint: true, idempotentHint: "yes" },
    });
    expect(reading).toMatchObject({
      definition: { inputSchema: { type: "object" }, claims: ["only reads", "reaches outside"] },
    });
  });
});

describe("a tool's name", () => {
  test("fits every provider, whatever server and tool are called", () => {
    const server = fc.stringMatching(/^[A-Za-z0-9-]{1,32}$/);
    fc.assert(
      fc.property(server, fc.string({ minLength: 1, maxLength: 200, unit: "binary" }), (name, tool) => {
        expect(mcpToolName(name, tool)).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
      }),
    );
  });

  test("stays apart from another that is as long", () => {
    const long = "a".repeat(80);
    expect(mcpToolName("s", `${long}x`)).not.toBe(mcpToolName("s", `${long}y`));
    expect(mcpToolName("s", "read_file")).toBe("mcp__s__read_file");
  });
});

describe("variables", () => {
  test("are found and filled once", () => {
    const values = new Map([["A", "${B}"]]);
    expect(variablesOf("x ${A} ${A}$B")).toEqual({ names: ["A", "A"] });
    expect(expandVariables("x ${A} $A", values)).toBe("x ${B} $A");
  });

  test.each(["${", "${A", "${}", "${A:-b}", "${A${B}}", "${1}"])("%s is refused", (text) => {
    expect(variablesOf(text).problem).toContain("only ${NAME} is expanded");
  });
});

describe("an answer", () => {
  test.each([
    [
      "texts",
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      "a\nb",
    ],
    [
      "what is called an image and is none",
      { content: [{ type: "image", mimeType: "image/png", data: "AAAA" }] },
      "[image image/png, 3 bytes; not shown: the image is no PNG, JPEG, GIF or WebP: its first bytes are of none]",
    ],
    [
      "a sound",
      { content: [{ type: "audio", mimeType: "audio/wav", data: "AAAA" }] },
      "[audio audio/wav, 3 bytes; not shown]",
    ],
    ["a link", { content: [{ type: "resource_link", uri: "a:b", name: "n" }] }, "[resource a:b: n]"],
    [
      "a resource's text",
      { content: [{ type: "resource", resource: { uri: "a:b", text: "t" } }] },
      "[resource a:b]\nt",
    ],
    [
      "a resource's bytes",
      { content: [{ type: "resource", resource: { uri: "a:b", blob: "AAAA" } }] },
      "[resource a:b of no known type, 3 bytes; not shown]",
    ],
    ["structured content alone", { content: [], structuredContent: { a: 1 } }, { a: 1 }],
    [
      "structured content and its text",
      { content: [{ type: "text", text: '{ "a": 1 }' }], structuredContent: { a: 1 } },
      { a: 1 },
    ],
    ["a wrapped text", { content: [{ type: "text", text: "t" }], structuredContent: { result: "t" } }, "t"],
    [
      "structured content and another text",
      { content: [{ type: "text", text: "t" }], structuredContent: { a: 1 } },
      't\n{"a":1}',
    ],
    ["nothing", { content: [] }, ""],
  ])("of %s", (_what, result, output) => {
    expect(callOutcome(result as never)).toEqual({ output, isError: false });
    expect(callOutcome({ ...result, isError: true } as never)).toEqual({ output, isError: true });
  });
});
