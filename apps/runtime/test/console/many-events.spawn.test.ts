import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { browserPath, complaintsOf, openBrowser } from "./support/browser.ts";
import { pageFile } from "./support/page-file.ts";
import { eventTypes, sampleEvent } from "./support/sample-events.ts";

const demo = readFileSync(new URL("support/demo.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

/** How much more of the main thread's time a page of so many events may take than an empty one. */
const EVENTS = 5000;
const FIRST_PAINT_CPU_MS = 200;

let browser: Browser;
beforeAll(async () => {
  if (browserPath !== undefined) browser = await openBrowser();
});
afterAll(() => browser?.close());

/** The runs of the demonstration over and over in its main session, each time a minute later. */
function longLog(count: number): readonly string[] {
  const lines: string[] = [];
  const last = new Map<string, number>();
  const { session: main } = JSON.parse(demo[0]!) as BasisEvent;
  for (let round = 0; lines.length < count; round += 1) {
    for (const line of demo) {
      if (line.includes('"type":"fork_')) continue;
      const renamed = line.replaceAll(
        /01a2[0-9a-f]{4}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        (id) => (id === main ? id : `${id}${round}`),
      );
      const event = JSON.parse(renamed) as BasisEvent;
      if (event.session !== main && event.parent === undefined) continue;
      const seq = (last.get(event.session) ?? 0) + 1;
      last.set(event.session, seq);
      lines.push(
        JSON.stringify({ ...event, seq, ts: new Date(Date.parse(event.ts) + round * 60_000).toISOString() }),
      );
    }
  }
  return lines.slice(0, count);
}

/** The main thread's own time until a page stands, in milliseconds: what other programs do does not count. */
async function cpuOf(url: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 840 } });
  try {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(url);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")!.value * 1000;
  } finally {
    await page.close();
  }
}

async function least(url: string): Promise<number> {
  let found = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 2; tries += 1) found = Math.min(found, await cpuOf(url));
  return found;
}

describe.runIf(browserPath !== undefined)("a page of 5,000 events", () => {
  test("stands soon, draws what is seen alone, and shows its end when it is scrolled there", async () => {
    const url = await pageFile("long", longLog(EVENTS));
    expect((await least(url)) - (await least(await pageFile("empty", [])))).toBeLessThan(FIRST_PAINT_CPU_MS);
    const page = await browser.newPage({ viewport: { width: 1440, height: 840 } });
    await page.goto(url);
    const grid = page.getByRole("treegrid");
    expect(Number(await grid.getAttribute("aria-rowcount"))).toBeGreaterThan(1000);
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    await grid.press("End");
    const count = await grid.getAttribute("aria-rowcount");
    await expect
      .poll(() => page.locator('[role="row"][aria-selected="true"]').getAttribute("aria-rowindex"))
      .toBe(count);
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    await page.close();
  });
});

const attack = [
  "</script><script>document.title='owned'</script>",
  `"><img src=x onerror="document.title='owned'">`,
  "' onmouseover='document.title=1",
  "<!--<script>",
  "javascript:document.title='owned'",
  "\u202Egnp.exe\u2066\u2069\u0000\u0007\u001b[31m",
  "\u2028\u2029]]>{{constructor.constructor('document.title=1')()}}",
  "__proto__",
].join(" ");

/** Fields whose texts are one of a few words, which the page tells by their names. */
const few = new Set([
  "status",
  "state",
  "decision",
  "event",
  "level",
  "verdict",
  "why",
  "kind",
  "finish_reason",
]);
const ids = new Set(["call_key", "message_id"]);

interface Attack {
  readonly text?: string;
  readonly word?: string;
}

/** The same event with another text or another word in its data, wherever one stands. */
function attacked(event: BasisEvent, { text, word }: Attack): unknown {
  const walk = (value: unknown, name: string): unknown => {
    if (typeof value === "string") return ids.has(name) ? value : ((few.has(name) ? word : text) ?? value);
    if (Array.isArray(value)) return value.map((each) => walk(each, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, key)]));
  };
  return { ...event, data: walk(event.data, "") };
}

/** In the page: chooses every row and opens each of its tabs. Answers how many it opened. */
const chooseEverything = `(async () => {
  const all = (role) => document.querySelectorAll('[role="' + role + '"]');
  const drawn = () => new Promise((done) => setTimeout(done));
  let opened = 0;
  for (let row = 0; row < all("row").length; row += 1) {
    all("row")[row].click();
    await drawn();
    for (let tab = 0; tab < all("tab").length; tab += 1, opened += 1) {
      all("tab")[tab].click();
      await drawn();
    }
  }
  return opened;
})()`;

// S12, S38
describe.runIf(browserPath !== undefined)("a page of a hostile log", () => {
  test.each<[string, Attack]>([
    ["texts that are markup, script and controls", { text: attack }],
    ["words that no host of today says", { word: "tomorrow" }],
    ["words that name what every object has", { word: "constructor" }],
    ["words that name what every object comes from", { word: "__proto__" }],
  ])("shows %s as text in every row and tab", async (_about, given) => {
    const marks = { session: "s", run: given.text ?? "r", number: 1 };
    const lines = eventTypes.map((type, place) =>
      JSON.stringify({ ...(attacked(sampleEvent(type, marks), given) as object), seq: place + 1 }),
    );
    const page = await browser.newPage({ viewport: { width: 1440, height: 840 } });
    const complaints = complaintsOf(page);
    await page.goto(await pageFile("hostile", lines));
    const title = await page.title();
    expect(await page.evaluate<number>(chooseEverything)).toBeGreaterThan(30);
    expect(await page.title()).toBe(title);
    expect(
      await page
        .locator("img, iframe, object, a[href^=javascript], script:not(#basis-log):not([type=module])")
        .count(),
    ).toBe(0);
    expect(await page.locator("body").innerText()).not.toMatch(/\p{Bidi_Control}|[^\P{Cc}\n\t]/u);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("tells how many events a log leaves out, and shows the rest", async () => {
    const page = await browser.newPage();
    await page.goto(await pageFile("with a gap", [...demo.slice(0, 20), ...demo.slice(22)]));
    await page.getByText("2 events missing").waitFor();
    expect(await page.getByRole("row").count()).toBeGreaterThan(10);
    await page.close();
  });
});
