import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { browserPath, complaintsOf, openBrowser } from "./support/browser.ts";
import { pageFile } from "./support/page-file.ts";
import { sampleEvent } from "./support/sample-events.ts";

const marks = { session: "s", run: "r", number: 1 };

let browser: Browser;
beforeAll(async () => {
  if (browserPath !== undefined) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});

// S12, S38
describe.runIf(browserPath !== undefined)("an exported page, opened from its file", () => {
  test("shows what a log holds as text, and says what of it could not be read", async () => {
    const attack = `</script><img src=x onerror="document.title='owned'">\u202Egnp\u0007\u2028`;
    const events: BasisEvent[] = [
      sampleEvent("run_started", marks),
      sampleEvent("user_message", marks, { data: { row: 0, message_id: "m0", text: attack } }),
      sampleEvent("assistant_message", marks),
      sampleEvent("tool_queued", marks),
      sampleEvent("tool_completed", marks),
    ].map((event, index) => ({ ...event, seq: index + 1 }));
    const url = await pageFile(`log ${attack}`, [
      ...events.map((event) => JSON.stringify(event)),
      '{"v":1,"torn',
    ]);
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(url);
    await page.getByRole("row", { name: "main" }).nth(1).click();
    await page.getByRole("tab", { name: "Transcript" }).click();
    const said = page.getByRole("tabpanel");
    await expect
      .poll(() => said.textContent())
      .toContain(String.raw`onerror="document.title='owned'">\u{202e}gnp\u{7}\u{2028}`);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toMatch(/^log/);
    expect(await page.getByText("1 line could not be read").count()).toBe(1);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
