import { readFileSync } from "node:fs";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { browserPath, openBrowser } from "./support/browser.ts";
import { pageFile } from "./support/page-file.ts";

const demo = readFileSync(new URL("support/demo.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

let browser: Browser;
beforeAll(async () => {
  if (browserPath !== undefined) browser = await openBrowser();
});
afterAll(() => browser?.close());

/** What axe finds wrong with a part of a page as it stands, a line each. */
function problemsOf(page: Page, part = "html"): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(async () => {
    const { violations } = await axe.run("${part}", { resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, any }) =>
      id + ": " + help + ": " + target.join(" ") + (any[0] ? " (" + any[0].message + ")" : "")));
  })()`);
}

async function open(colorScheme: "light" | "dark", width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 840 }, colorScheme });
  onTestFinished(() => page.close());
  await page.addInitScript(axe.source);
  await page.goto(await pageFile("basis demo", demo));
  await page.getByRole("tabpanel").waitFor({ state: "attached" });
  return page;
}

/** Chooses the first row of a name and opens each of its tabs; answers what is wrong with any of them. */
async function walk(page: Page, name: string | RegExp): Promise<readonly string[]> {
  await page.getByRole("row", { name }).first().click();
  const problems: string[] = [];
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    const title = await tab.textContent();
    problems.push(...(await problemsOf(page, ".inspector")).map((each) => `${title}: ${each}`));
  }
  return problems;
}

// Issue 10: keyboard for everything, names for screen readers, contrast.
describe.runIf(browserPath !== undefined)(
  "the page, to those who hear it, enlarge it or see few colours",
  () => {
    test.each(["light", "dark"] as const)("has nothing that axe finds, in %s", async (scheme) => {
      const page = await open(scheme, 1440);
      expect(await problemsOf(page)).toEqual([]);
      for (const row of [/^main/, /^run rm -rf/, /^spawn/, /^answer.*rejected/, /^fork/])
        expect(await walk(page, row)).toEqual([]);
      await page.evaluate("document.querySelector('.inspector h2').style.color = 'var(--line)'");
      expect((await problemsOf(page, ".inspector")).join()).toContain("color-contrast");
    });

    test("tells each row's level and its place among its kind, and keeps the one that keys stand on", async () => {
      const page = await open("light", 1440);
      const grid = page.getByRole("treegrid");
      await grid.press("Home");
      await grid.press("ArrowDown");
      const told = ["aria-level", "aria-posinset", "aria-setsize"];
      const rows = await page.getByRole("row").all();
      const levels = await Promise.all(
        rows.map((row) => Promise.all(told.map(async (name) => Number(await row.getAttribute(name))))),
      );
      for (const [level, place, size] of levels) {
        expect(level).toBeGreaterThan(0);
        expect(place).toBeLessThanOrEqual(size!);
      }
      const top = levels.filter(([level]) => level === 1);
      expect(top.length).toBeGreaterThan(1);
      expect(top.map(([, ...rest]) => rest)).toEqual(top.map((_, index) => [index + 1, top.length]));
      await page.setViewportSize({ width: 1440, height: 260 });
      await grid.evaluate("(grid) => grid.scrollTo(0, grid.scrollHeight)");
      const active = await grid.getAttribute("aria-activedescendant");
      expect(await page.locator(`#${active}[aria-selected="true"]`).count()).toBe(1);
    });
  },
);
