import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ToldHost } from "../campaigns/told-host.ts";
import { browserPath, complaintsOf, openBrowser } from "./support/browser.ts";

let browser: Browser;
beforeAll(async () => {
  if (browserPath !== undefined) browser = await openBrowser();
});
afterAll(() => browser?.close());

/** More than the page keeps as texts, and more rounds than it keeps as rows. */
const EVENTS = 10_000;
const EARLY = 60;

// Issue 10: memory that stays; ADR 0056.
describe.runIf(browserPath !== undefined)("a page that looks on for long", () => {
  test("folds its oldest rounds away, and reads again what somebody looks at", async () => {
    const host = await ToldHost.start();
    onTestFinished(() => host.stop());
    const page = await browser.newPage({ viewport: { width: 1440, height: 840 } });
    onTestFinished(() => page.close());
    const complaints = complaintsOf(page);
    await page.goto(host.url);
    await page.getByRole("status").getByText("live").waitFor();
    host.tell(EARLY);
    // A row is looked at while the others of its age go; another's address is known from before.
    await page.getByText(`${EARLY} events`).waitFor();
    const looked = page.locator("[role=row].chosen");
    const look = async (at: number) => {
      await page.locator(`#row-${at}`).click();
      const address = await page.evaluate<string>("location.hash");
      expect(address).toContain("call");
      return { address, text: await looked.textContent() };
    };
    const other = await look(11);
    const { text } = await look(7);
    host.tell(EVENTS - EARLY);
    await page.getByText(`${EVENTS.toLocaleString("en")} events`).waitFor();
    const grid = page.getByRole("treegrid");
    const rowCount = async () => Number(await grid.getAttribute("aria-rowcount"));
    await expect.poll(rowCount).toBeLessThan(3100);
    await expect.poll(rowCount).toBeGreaterThan(2900);

    await grid.press("ArrowDown");
    await grid.press("ArrowUp");
    expect(await looked.textContent()).toBe(text);

    const folded = page.getByRole("row", { name: /older rounds/ });
    expect(await folded.textContent()).toMatch(/^[\d,]+ older rounds[\d,]+ calls: open to read them again/);
    const every = 2 + Math.ceil((EVENTS - 2) / 6) + Math.ceil((EVENTS - 3) / 6);
    await page.evaluate(`location.hash = ${JSON.stringify(other.address)}`);
    await expect.poll(rowCount).toBe(every);
    expect(await looked.textContent()).toBe(other.text);
    // An address leads to its row however long ago that was.
    await page.reload();
    await page.getByText(`${EVENTS.toLocaleString("en")} events`).waitFor();
    await expect.poll(rowCount).toBeLessThan(3100);
    await expect.poll(() => looked.textContent()).toBe(other.text);
    await folded.click();
    await expect.poll(rowCount).toBe(every);
    await grid.press("Home");
    for (let row = 0; row < 3; row += 1) await grid.press("ArrowDown");
    await page.getByRole("tab", { name: "Hooks" }).click();
    await page.getByRole("tabpanel").getByText("narrower").waitFor();
    await page.getByRole("tab", { name: "Raw" }).click();
    await page.getByRole("tabpanel").getByText("tool_completed", { exact: true }).waitFor();

    const range = page.getByLabel("Show the log as it was");
    await range.fill("8");
    await expect.poll(rowCount).toBe(4);
    await range.fill("2");
    await expect.poll(rowCount).toBe(2);
    // It plays by itself from where it stands, and stops where somebody takes it.
    await page.getByRole("button", { name: "Replay the log" }).click();
    await expect.poll(rowCount, { timeout: 15_000 }).toBeGreaterThan(100);
    await page.getByRole("button", { name: "Pause the replay" }).click();
    const paused = await page.getByRole("group", { name: "Replay" }).textContent();
    expect(paused).toMatch(/^[\d,]+ of 10,000 events/);
    await range.press("End");
    await page
      .getByRole("group", { name: "Replay" })
      .getByText(/^10,000 events$/)
      .waitFor();

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      (async () => {
        await grid.press("Home");
        await page.getByRole("button", { name: "Export as a page" }).click();
      })(),
    ]);
    const exported = readFileSync(await download.path(), "utf8");
    expect(exported.split('\n{"v":1').length - 1).toBe(EVENTS);
    expect(complaints).toEqual([]);
  });
});
