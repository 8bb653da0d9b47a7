import { describe, expect, it } from "vitest";
import { nodeFloorProblems } from "../checks/node-floor.mjs";
import { trackedTextProblems } from "../checks/tracked-text.mjs";
import { workspaceOfTexts } from "../workspace.mjs";

const root = "/elsewhere/checkout";
const environment = { HOME: "/users-of-this/ada", npm_config_registry: "https://packages.example.test/npm/" };
const path = "packages/hooks/src/a.ts";
const problemsIn = (text: string, file = path): string[] =>
  trackedTextProblems(workspaceOfTexts({ [file]: `first line\n${text}\n` }, root), environment);

/** Joins pieces, so that this file does not hold what it tests for. */
const joined = (...pieces: string[]): string => pieces.join("");

describe("tracked text", () => {
  it.each([
    [joined("// TO", "DO later"), "leaves work undone"],
    [joined("// FIX", "ME"), "leaves work undone"],
    [joined("see https://regis", "try.npmjs.org/x"), "names a registry host"],
    ["see https://packages.example.test/npm/x", "names a registry host"],
    [joined("tar", "ball: https://somewhere.test/x.tgz"), "names a registry host"],
    [`open("${root}/packages/a.ts")`, "names a folder of one machine"],
    ["cd /users-of-this/ada/work", "names a folder of one machine"],
    [joined("cat /ro", "ot/.npmrc"), "names a folder of one machine"],
    [joined("// @ts-", "ignore"), "switches the compiler off"],
    [joined("// oxlint-", "disable-next-line"), "switches the linter off"],
    [joined("it.sk", 'ip("x")'), "skips tests"],
    [joined("describe.on", 'ly("x")'), "skips tests"],
    [joined("vi.mo", 'ck("x")'), "mocks a module"],
  ])("refuses %s", (text, message) => {
    expect(problemsIn(text)).toEqual([expect.stringContaining(message)]);
    expect(problemsIn(text)[0]).toContain(`${path}:2 `);
  });

  it.each([
    "a list of todos, and a mastodon",
    "https://example.test/elsewhere/checkout/x",
    'it.skipIf(windows)("x")',
    "the registry of members",
    "/root/child/child/n: expected integer",
  ])("accepts %s", (text) => {
    expect(problemsIn(text)).toEqual([]);
  });

  it("looks for machine paths in prose, and for switched-off checks in sources alone", () => {
    expect(problemsIn(`${root}/x`, "README.md")).toHaveLength(1);
    expect(problemsIn(joined("it.sk", "ip("), "README.md")).toEqual([]);
  });
});

describe("node floor", () => {
  const floor = (text: string, file = path): string[] =>
    nodeFloorProblems(workspaceOfTexts({ [file]: text }));

  it.each([
    joined("Promise.with", "Resolvers()"),
    joined("Array.from", "Async(x)"),
    joined("Object.group", "By(x, f)"),
    joined("a.is", "SubsetOf(b)"),
    joined("a.un", "ion(b)"),
    joined("AbortSignal.a", "ny([a, b])"),
    joined('import { DatabaseSync } from "node:', 'sqlite";'),
    joined('const { DatabaseSync } = await import("node:', 'sqlite");'),
  ])("refuses %s", (text) => {
    expect(floor(text)).toHaveLength(1);
  });

  it("accepts node:sqlite beside a look at the version, its types, and zod's unions", () => {
    const checked = joined('if (isNew(process.versions.node)) await import("node:', 'sqlite");');
    expect(floor(checked)).toEqual([]);
    expect(floor(joined("const shape = z.un", "ion([a, b]);"))).toEqual([]);
    expect(floor(joined("// not Promise.with", "Resolvers: Node 20 lacks it"))).toEqual([]);
  });

  it("lets tests and tools join signals as they like", () => {
    expect(floor(joined("AbortSignal.a", "ny([a])"), "packages/hooks/test/a.test.ts")).toEqual([]);
  });
});
