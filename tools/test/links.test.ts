import { describe, expect, it } from "vitest";
import { linkProblems } from "../checks/links.mjs";
import { workspaceOfTexts } from "../workspace.mjs";

const linksFrom = (text: string): string[] =>
  linkProblems(
    workspaceOfTexts({ "packages/hooks/README.md": text, "docs/adr/0001-a.md": "", "README.md": "" }),
  );

describe("links", () => {
  it.each([
    "[a](../../docs/adr/0001-a.md#context)",
    "[folder](../../docs/adr)",
    "[folder](../../docs/adr/)",
    "[root](../../README.md)",
    "[outside](https://example.test/x)",
    "[here](#errors)",
    "`[code](gone.md)`",
    "```md\n[code](gone.md)\n```",
  ])("may be %j", (text) => {
    expect(linksFrom(text)).toEqual([]);
  });

  it.each(["[a](../../docs/adr/0002-b.md)", "[a](./gone.md)", "`x` and [a](gone.md) and `y`"])(
    "may not be %j",
    (text) => {
      expect(linksFrom(text)).toHaveLength(1);
    },
  );
});
