import { describe, expect, it } from "vitest";
import { HookError } from "../../src/index.ts";
import { checkHooksFile, parseHooksFile } from "../../src/node/hooks-file.ts";

const path = "/w/.basis/hooks.json";
const file = (...entries: object[]) => JSON.stringify({ schema: 1, hooks: entries }, null, 2);
const hook = (facts: object = {}) => ({ name: "g", command: ["./guard"], ...facts });

const refusal = (text: string) => {
  try {
    parseHooksFile(path, text);
  } catch (error) {
    if (error instanceof HookError)
      return { code: error.code, message: error.message, details: error.details };
    throw error;
  }
  return { code: "none", message: "", details: {} };
};

describe("checkHooksFile", () => {
  it("finds everything that is wrong, in the file's order, and the entries that are right", () => {
    const text = file(
      hook({ name: 1, timout_ms: 1 }),
      hook({ name: "right" }),
      { command: [] },
      "no entry" as never,
    );
    const { hooks, problems } = checkHooksFile(text.replace('"schema"', '"shema": 1, "schema"'));
    expect(hooks.map(({ name }) => name)).toEqual(["right"]);
    expect(problems.map(({ pointer }) => pointer)).toEqual([
      "/shema",
      "/hooks/0/timout_ms",
      "/hooks/0/name",
      "/hooks/2",
      "/hooks/2/command",
      "/hooks/3",
    ]);
    expect(problems.every(({ line }) => line >= 1)).toBe(true);
  });

  it("says one thing about a text that is no JSON, and about another schema", () => {
    expect(checkHooksFile("[").problems).toMatchObject([{ line: 1, pointer: "" }]);
    expect(checkHooksFile('{"schema": 2, "hooks": 7, "x": 1}').problems).toMatchObject([
      { pointer: "/schema", foundSchema: "2" },
    ]);
    expect(checkHooksFile(file(hook())).problems).toEqual([]);
  });
});

describe("parseHooksFile", () => {
  it("fills in the defaults", () => {
    // H44
    expect(parseHooksFile(path, file(hook()))).toEqual([
      {
        name: "g",
        command: ["./guard"],
        tools: undefined,
        effect: undefined,
        input: undefined,
        event: "pre_tool_use",
        timeoutMs: 5000,
        onFailure: "deny",
        mode: "process",
        env: [],
        shadow: false,
        files: [],
      },
    ]);
  });

  it("takes over every key", () => {
    const facts = {
      tools: ["run", "mcp_*"],
      effect: ["command", "write"],
      input: { "/command": "rm *" },
      event: "post_tool_use",
      timeout_ms: 10,
      on_failure: "allow",
      mode: "worker",
      env: ["TOKEN"],
      shadow: true,
    };
    expect(parseHooksFile(path, file(hook(facts)))[0]).toMatchObject({
      tools: ["run", "mcp_*"],
      effect: ["command", "write"],
      input: { "/command": "rm *" },
      event: "post_tool_use",
      timeoutMs: 10,
      onFailure: "allow",
      mode: "worker",
      env: ["TOKEN"],
      shadow: true,
    });
    expect(parseHooksFile(path, file())).toEqual([]);
  });

  it("names file and line of a text that is not JSON", () => {
    // H50
    const text = '{\n  "schema": 1,\n  "hooks": [,]\n}';
    expect(refusal(text)).toMatchObject({
      code: "invalid_file",
      message: expect.stringContaining(`${path}:3: `),
      details: { path, line: 3 },
    });
    expect(refusal("").details).toMatchObject({ line: 1 });
    expect(refusal('{"schema":1,\n"schema":1,"hooks":[]}')).toMatchObject({
      message: expect.stringContaining("stands twice"),
      details: { line: 2 },
    });
  });

  it("names both numbers of a schema it does not know", () => {
    // H51
    const { code, message, details } = refusal('{"schema":7,"hooks":"whatever"}');
    expect(code).toBe("unsupported_schema");
    expect(message).toContain("schema 7");
    expect(message).toContain("schema 1");
    expect(details).toEqual({ path, found: "7", supported: 1 });
    expect(refusal('{\n  "hooks": [],\n  "schema": 9\n}').message).toContain(`${path}:3: schema 9 is not`);
    expect(refusal('{"hooks":[]}').message).toContain("'schema' is missing");
  });

  it.each([
    ["timeoutMs", "timeout_ms"],
    ["timout_ms", "timeout_ms"],
    ["onFailure", "on_failure"],
    ["tool", "tools"],
    ["Name", "name"],
  ])("refuses the key %s and asks whether %s was meant", (wrong, meant) => {
    // H55
    expect(refusal(file(hook(), hook({ [wrong]: 1 })))).toMatchObject({
      code: "invalid_file",
      message: expect.stringMatching(new RegExp(`unknown key '${wrong}'; did you mean '${meant}'\\?$`)),
      details: { pointer: `/hooks/1/${wrong}`, line: 15 },
    });
  });

  it("refuses an unknown key without a guess when nothing is near", () => {
    expect(refusal(file(hook({ description: "x" }))).message).toMatch(/unknown key 'description'$/);
    expect(refusal('{"schema":1,"hook":[]}').message).toContain("did you mean 'hooks'");
    expect(refusal('{"schema":1}').message).toContain("'hooks' is missing");
  });

  it.each([
    ["name", ""],
    ["name", "a\nb"],
    ["name", 7],
    ["command", []],
    ["command", [""]],
    ["command", ["x", 1]],
    ["command", ["a\0b"]],
    ["command", "./guard --all"],
    ["tools", "run"],
    ["tools", [""]],
    ["effect", "command"],
    ["effect", ["command", "fly"]],
    ["effect", [1]],
    ["input", { command: "rm" }],
    ["input", { "/command": 1 }],
    ["event", "pre"],
    ["timeout_ms", 0],
    ["timeout_ms", 1.5],
    ["timeout_ms", "5s"],
    ["timeout_ms", 2 ** 31],
    ["on_failure", "ask"],
    ["mode", "thread"],
    ["env", ["A=B"]],
    ["shadow", "yes"],
  ])("refuses the value of %s: %j", (key, value) => {
    // H50
    const { code, message, details } = refusal(file(hook({ [key]: value })));
    expect(code).toBe("invalid_file");
    expect(message).toContain(`'${key}' must be `);
    expect(details).toMatchObject({ path, pointer: `/hooks/0/${key}` });
  });

  it.each([
    ["effect", ["write", "comand"], "command"],
    ["event", "pre_tooluse", "pre_tool_use"],
    ["on_failure", "alow", "allow"],
    ["mode", "workers", "worker"],
  ])("asks of a misspelt word of %s whether another was meant: %j", (key, value, meant) => {
    // S19, H55
    expect(refusal(file(hook({ [key]: value }))).message).toMatch(
      new RegExp(`; did you mean '${meant}'\\?$`),
    );
  });

  it("refuses what lacks a name or a command, or is no object at all", () => {
    expect(refusal(file({ name: "g" })).message).toContain("needs 'command'");
    expect(refusal(file({ command: ["x"] })).message).toContain("needs 'name'");
    expect(refusal('{"schema":1,"hooks":[7]}').message).toContain("a hook must be an object");
    expect(refusal('{"schema":1,"hooks":{}}').message).toContain("hooks must be a list");
    expect(refusal("[]").message).toContain("must be an object");
  });
});
