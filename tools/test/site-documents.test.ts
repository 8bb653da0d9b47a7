import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorRows } from "../docs/error-table.mjs";
import { siteDocuments } from "../docs/site-documents.mjs";
import { siteLinkProblems } from "../docs/site-links.mjs";
import { repositoryRoot, workspaceOfTexts, workspaceOnDisk } from "../workspace.mjs";
import { manifest } from "./small-workspace.ts";

const errorSource = `export interface HookErrorDetails {
  readonly invalid_file: { readonly path: string };
  /** What a guard said,
   * in its words. */
  readonly threw: Details;
  readonly long: {
    readonly inner: string;
  };
}
`;
const texts = {
  "README.md":
    "[hooks](packages/hooks), [tests](packages/hooks/test) and [code](packages/hooks/src/hook-error.ts)",
  "packages/hooks/package.json": manifest("@basis/hooks"),
  "packages/hooks/src/hook-error.ts": errorSource,
  "packages/hooks/test/a.test.ts": "",
  "packages/hooks/README.md":
    "# @basis/hooks\n\n## Errors\n\n| code | when | what to do |\n|---|---|---|\n| `invalid_file` · `long` | it is wrong | mend it |\n",
  "docs/guides/guard.md":
    "# Guard `it`\n\n[a](../../packages/hooks/README.md#errors)\n\n```md\n[a](../x.md)\n```\n",
};
const workspace = workspaceOfTexts(texts);

describe("the errors of a package", () => {
  it("are the codes of its sources, with the words of its README, else of the source", () => {
    expect(errorRows(workspace, workspace.packages[0])).toEqual([
      { error: "HookError", code: "invalid_file", when: "it is wrong", advice: "mend it" },
      { error: "HookError", code: "threw", when: "What a guard said, in its words.", advice: "" },
      { error: "HookError", code: "long", when: "it is wrong", advice: "mend it" },
    ]);
  });

  it("are found in every block that throws errors of its own", () => {
    const whole = workspaceOnDisk(repositoryRoot);
    const silent = whole.packages.filter((pack) => pack.isBlock && errorRows(whole, pack).length === 0);
    expect(silent.map(({ name }) => name)).toEqual(["@basis/core"]);
  });
});

describe("the pages of the site", () => {
  const copies = new Map(siteDocuments(workspace).map(({ path, text }) => [path, text]));

  it("have a title and a group, and links to each other; code stays as it is", () => {
    const guide = copies.get("docs/generated/guides.guard.md") ?? "";
    expect(guide).toContain('title: "Guard it"\ngroup: Guides\n');
    expect(guide).toContain("[a](packages.hooks.readme.md#errors)");
    expect(guide).toContain("[a](../x.md)");
  });

  it("lead to files of the repository, and not to folders", () => {
    expect(copies.get("docs/generated/front-page.markdown")).toBe(
      "[hooks](packages.hooks.readme.md), tests and [code](../../packages/hooks/src/hook-error.ts)",
    );
  });
});

describe("links of the finished site", () => {
  it("exist, and so do the places that they name", () => {
    const site = mkdtempSync(join(tmpdir(), "basis-site-"));
    const page = (name: string, body: string) => writeFileSync(join(site, name), `<html>${body}</html>`);
    page(
      "a.html",
      '<a href="b.html#there">b</a> <a href="https://elsewhere.test/x">x</a> <a href="#top" id="top">',
    );
    page("b.html", '<h2 id="there">b</h2>');
    expect(siteLinkProblems(site)).toEqual([]);
    page("c.html", '<a href="b.html#gone">b</a> <a href="gone.html">c</a>');
    expect(siteLinkProblems(site)).toEqual([
      "c.html links to b.html#gone: no such place there",
      "c.html links to gone.html, which does not exist",
    ]);
    rmSync(site, { recursive: true });
  });
});
