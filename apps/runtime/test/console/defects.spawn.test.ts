import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { browserPath, complaintsOf, openBrowser } from "./support/browser.ts";
import { pageFile } from "./support/page-file.ts";
import { sampleData, sampleEvent } from "./support/sample-events.ts";

const demo = readFileSync(new URL("support/demo.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

let browser: Browser;
beforeAll(async () => {
  if (browserPath !== undefined) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function open(lines: readonly string[], width = 1440): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: 840 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(await pageFile("a log", lines));
  return page;
}

/** A session with forks of forks and a child, an event of two megabytes, and a clock that goes back. */
function strangeLog(): readonly string[] {
  const events: BasisEvent[] = [];
  const seqs = new Map<string, number>();
  const tell = (session: string, event: BasisEvent): void => {
    const seq = (seqs.get(session) ?? 0) + 1;
    seqs.set(session, seq);
    events.push({ ...event, seq });
  };
  for (let index = 0; index < 200; index += 1) {
    const marks = { session: `s${index}`, run: "r", number: 1 };
    tell(marks.session, sampleEvent("run_started", marks));
    tell(marks.session, sampleEvent("tool_queued", marks));
    const { fork_committed: data } = sampleData(marks);
    const fork = { ...data, operation_id: `o${index}`, fork_session: `s${index + 1}` };
    tell(marks.session, sampleEvent("fork_committed", marks, { data: fork }));
  }
  const marks = { session: "s0", run: "r", number: 2 };
  const { tool_completed: data } = sampleData(marks);
  const big = { ...data, output: "lorem ipsum ".repeat(175_000) };
  tell("s0", sampleEvent("tool_completed", marks, { data: big, ts: "2020-01-01T00:00:00.000Z" }));
  return events.map((event) => JSON.stringify(event));
}

describe.runIf(browserPath !== undefined)("what goes wrong in one part of the page", () => {
  test("leaves the rest usable, and says which part it was, at which event, and what happened", async () => {
    const page = await open(demo);
    await page
      .getByRole("row", { name: /^search/ })
      .first()
      .click();
    await page.getByRole("tab", { name: "Call" }).click();
    // A defect of one panel: what it alone asks for is not there any more.
    await page.evaluate("JSON.stringify = () => { throw new TypeError('there is no JSON'); }");
    await page.getByRole("tab", { name: "Raw" }).click();
    const told = page.getByRole("alert");
    expect(await told.textContent()).toMatch(
      /the tab Raw could not be shown at session [\w-]+, event \d+: there is no JSON/,
    );
    await told.getByRole("button", { name: "Copy what happened" }).click();
    await told.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toMatch(
      /^the tab Raw of the console failed at session [^]*TypeError: there is no JSON[^]*at /,
    );
    await page.getByRole("tab", { name: "Hooks" }).click();
    await page.getByRole("tabpanel").getByText("narrow-search").first().waitFor();
    await page.getByRole("treegrid").press("ArrowDown");
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

describe.runIf(browserPath !== undefined)("a strange log", () => {
  test("of two hundred forks of forks, two megabytes in an event and a clock that goes back, is shown", async () => {
    const page = await open(strangeLog());
    const complaints = complaintsOf(page);
    const sessions = page.getByRole("navigation", { name: "Sessions" }).getByRole("button");
    expect(await sessions.count()).toBe(201);
    await page.getByRole("row", { name: /^run/ }).nth(1).click();
    const panel = page.getByRole("tabpanel");
    await panel.getByRole("button", { name: "Show all 2,100,000 characters" }).waitFor();
    expect((await panel.textContent())!.length).toBeLessThan(20_000);
    await panel.getByRole("button", { name: "Show all" }).click();
    expect((await panel.textContent())!.length).toBeGreaterThan(2_000_000);
    expect(complaints).toEqual([]);
  });

  test("fits a page of 400 pixels: nothing stands beyond its edge, in any of its parts", async () => {
    const page = await open(demo, 400);
    for (const part of ["sessions", "runs", "details"]) {
      await page.getByRole("navigation", { name: "Parts" }).getByRole("button", { name: part }).click();
      const beyond = await page.evaluate<readonly string[]>(`[...document.querySelectorAll("body *")]
        .filter((each) => !each.closest("pre, .word, [role=tablist]"))
        .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5)
        .map((each) => each.outerHTML.slice(0, 80))`);
      expect(beyond).toEqual([]);
    }
  });
});
