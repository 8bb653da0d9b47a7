import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { browserPath, complaintsOf, openBrowser } from "./support/browser.ts";
import { pageFile } from "./support/page-file.ts";
import { pictureDistance } from "./support/picture.ts";

/** What `basis demo --json` tells, without deltas and with long results cut. */
const demo = readFileSync(new URL("support/demo.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

/** With this set, the pictures that the documents show are made anew. */
const isWriting = process.env["BASIS_WRITE_SCREENSHOTS"] === "1";

let browser: Browser;
beforeAll(async () => {
  if (browserPath !== undefined) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function open(scheme: "light" | "dark" = "light"): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 840 }, colorScheme: scheme });
  onTestFinished(() => page.close());
  await page.goto(await pageFile("basis demo", demo));
  return page;
}

const details = (page: Page) => page.getByRole("tabpanel");

async function look(page: Page, row: string | RegExp, tab: string): Promise<string> {
  await page.getByRole("row", { name: row }).first().click();
  await page.getByRole("tab", { name: tab }).click();
  return (await details(page).textContent()) ?? "";
}

describe.runIf(browserPath !== undefined)("the demonstration, to somebody who never saw the project", () => {
  test("tells who denied the command and why, what the child was allowed, why the answer was rejected, and where the fork came from", async () => {
    const page = await open();
    const complaints = complaintsOf(page);
    const hooks = await look(page, /^run rm -rf packages.*denied/, "Hooks");
    expect(hooks).toContain("hook 'deny-destruction'");
    expect(hooks).toContain("this repository's files are not removed by an agent");
    expect(hooks).toContain("not asked: not meant for this call");
    const changed = await look(page, /^search.*input changed/, "Call");
    expect(changed).toContain("changed by hook 'narrow-search'");
    expect(changed).toMatch(/− +"path": "\."/);
    expect(changed).toMatch(/\+ +"path": "packages"/);
    const child = await look(page, /^spawn/, "Child");
    expect(child).toMatch(/model.*anthropic\/claude-haiku-4-5/);
    expect(child).toMatch(/tools.*list, read, search.*list, read, search/);
    const call = await look(page, /^spawn/, "Call");
    expect(call).toContain("what was approved is what ran");
    const answers = await look(page, /^answer.*answer 1 rejected/, "Answers");
    expect(answers).toContain('/risk: expected one of "low", "medium", "high", got "severe"');
    await page.getByRole("navigation", { name: "Sessions" }).getByText("reviewer").click();
    expect(await look(page, /^reviewer.*from main at message 18/, "Overview")).toContain(
      "main, after its message 18",
    );
    expect(complaints).toEqual([]);
  });

  test.each(["light", "dark"] as const)("looks as the documents show it, in %s", async (scheme) => {
    const page = await open(scheme);
    await look(page, /^search.*input changed/, "Call");
    await page.mouse.move(700, 835);
    const picture = await page.screenshot();
    const kept = fileURLToPath(new URL(`../../../../docs/images/console-${scheme}.png`, import.meta.url));
    if (isWriting) {
      mkdirSync(dirname(kept), { recursive: true });
      writeFileSync(kept, picture);
    }
    expect(existsSync(kept)).toBe(true);
    expect(await pictureDistance(browser, picture, readFileSync(kept))).toBeLessThan(0.02);
    await page.getByRole("row", { name: /^main/ }).first().click();
    await page.getByRole("treegrid").press("ArrowLeft");
    expect(await pictureDistance(browser, await page.screenshot(), readFileSync(kept))).toBeGreaterThan(0.02);
  });
});
