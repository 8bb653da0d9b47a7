import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { numberProblems, sizeProblems } from "../checks/readme-numbers.mjs";
import { readmeProblems } from "../checks/readme-shape.mjs";
import { snippetProblems, writeSnippets } from "../checks/snippets.mjs";
import { workspaceOfTexts, workspaceOnDisk } from "../workspace.mjs";
import { manifest } from "./small-workspace.ts";

const code = 'import assert from "node:assert";\nassert(true);\n';
const example = "examples/hooks/quick-start.mjs";
const snippet = (body: string): string => `<!-- snippet: ${example} -->\n${body}<!-- /snippet -->`;
const fenced = `\`\`\`js\n${code}\`\`\`\n`;

describe("snippets", () => {
  it("accepts a block that is its file", () => {
    expect(snippetProblems(workspaceOfTexts({ "README.md": snippet(fenced), [example]: code }))).toEqual([]);
  });

  it("refuses a block that differs, one whose file is missing, and one that is not closed", () => {
    const differs = snippet(fenced.replace("true", "1"));
    expect(snippetProblems(workspaceOfTexts({ "README.md": differs, [example]: code }))).toHaveLength(1);
    expect(snippetProblems(workspaceOfTexts({ "README.md": snippet(fenced) }))).toEqual([
      `README.md embeds ${example}, which does not exist`,
    ]);
    const open = `<!-- snippet: ${example} -->\n${fenced}`;
    expect(snippetProblems(workspaceOfTexts({ "README.md": open, [example]: code }))).toHaveLength(1);
  });

  it("of a page where readers begin import what it says to install", () => {
    const importing = 'import { a } from "@basis/hooks/node";\n';
    const page = (install: string): string =>
      `${install}<!-- snippet: ${example} -->\n\`\`\`js\n${importing}\`\`\`\n<!-- /snippet -->`;
    const problems = (path: string, install: string): readonly string[] =>
      snippetProblems(workspaceOfTexts({ [path]: page(install), [example]: importing }));
    const guide = "docs/guides/a.md";
    expect(problems(guide, "```sh\nnpm i zod @basis/hooks # both\n```\n")).toEqual([]);
    expect(problems(guide, "```sh\nnpm i zod\n```\n")).toEqual([
      `${guide} imports @basis/hooks in a snippet and does not say: npm i @basis/hooks`,
    ]);
    expect(problems("packages/hooks/BINDINGS.md", "")).toEqual([]);
  });

  it("are rewritten from their file", () => {
    const root = mkdtempSync(join(tmpdir(), "basis-snippets-"));
    writeFileSync(join(root, "a.mjs"), code);
    writeFileSync(join(root, "README.md"), "# A\n<!-- snippet: a.mjs -->\nold\n<!-- /snippet -->\nend\n");
    expect(writeSnippets(workspaceOnDisk(root))).toEqual(["README.md"]);
    expect(readFileSync(join(root, "README.md"), "utf8")).toBe(
      `# A\n<!-- snippet: a.mjs -->\n${fenced}<!-- /snippet -->\nend\n`,
    );
    expect(writeSnippets(workspaceOnDisk(root))).toEqual([]);
    rmSync(root, { recursive: true });
  });
});

const numbers = (line: string): string => `<!-- numbers -->\n${line}\n<!-- /numbers -->\n`;
const readme = [
  "# @basis/hooks\n",
  numbers(
    "Installed 38 kB (with its siblings 60 kB) · depends on @basis/core alone · loads in 7 ms on Node 20",
  ),
  "## Install\n## Quick start\n",
  snippet(fenced),
  "\n## When things fail\n## With your host\n## Errors\n## What it does not do\n",
].join("");
const packageOf = (text: string, files: Record<string, string> = {}): ReturnType<typeof workspaceOfTexts> =>
  workspaceOfTexts({
    "packages/hooks/package.json": manifest("@basis/hooks", {
      dependencies: { "@basis/core": "workspace:^" },
    }),
    "packages/hooks/README.md": text,
    [example]: code,
    ...files,
  });

describe("readmes", () => {
  it("accepts one with every part", () => {
    expect(readmeProblems(packageOf(readme))).toEqual([]);
    expect(numberProblems(packageOf(readme))).toEqual([]);
  });

  it.each([
    "# @basis/hooks",
    "## Install",
    "## Quick start",
    "## When things fail",
    "## With your host",
    "## Errors",
  ])("refuses one without %s", (part) => {
    expect(readmeProblems(packageOf(readme.replace(part, "")))).toHaveLength(1);
  });

  it("refuses a missing README, a missing example and one that is too long to be quick", () => {
    const { "packages/hooks/README.md": _text, ...rest } = Object.fromEntries(
      packageOf(readme).files.map((path) => [path, packageOf(readme).read(path)]),
    );
    expect(readmeProblems(workspaceOfTexts(rest))).toEqual(["packages/hooks/README.md is missing"]);
    const long = packageOf(readme, { [example]: "x;\n".repeat(26) });
    expect(readmeProblems(long)).toEqual([`${example} has 26 lines, at most 25`]);
    expect(readmeProblems(packageOf(readme.replace("<!-- snippet:", "<!-- code:")))).toHaveLength(1);
  });

  it("refuses numbers that were typed, and dependencies that are not the manifest's", () => {
    expect(numberProblems(packageOf(numbers("about 40 kB, fast")))).toHaveLength(1);
    const wrong = packageOf(readme.replace("depends on @basis/core alone", "no dependencies"));
    expect(numberProblems(wrong)).toEqual([expect.stringContaining('says "no dependencies"')]);
  });

  it("allows the stated size to be a tenth off", () => {
    const pack = { dir: "packages/hooks" };
    expect(sizeProblems(pack, readme, 41_000)).toEqual([]);
    expect(sizeProblems(pack, readme, 60_000)).toHaveLength(1);
    expect(sizeProblems(pack, "no numbers", 38_000)).toHaveLength(1);
  });
});
