import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { browserPath, openBrowser } from "../console/support/browser.ts";
import { campaignSize } from "./campaign-size.ts";
import { ToldHost } from "./told-host.ts";

/** A run is a thousand events. */
const { runs } = campaignSize(0);
const EVENTS_A_RUN = 1000;
/** What is told at the rate at which the page has to stay smooth, in parts. */
const LIVE_EVENTS = 1000;
const LIVE_SECONDS = 10;
const LIVE_PARTS = 10;
const MAX_FRAME_MS = 50;
/** Of the memory of the page with all events against that with a fifth of them. */
const MAX_GROWTH = 1.2;
const PART = 5;

/** The longest tasks of the page's main thread in its own time: what other programs do does not count. */
async function longestTasks(page: Page, during: () => Promise<void>): Promise<readonly number[]> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  await during();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: Traced[] };
  const main = traceEvents.filter(
    ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain",
  );
  const places = new Set(main.map(({ pid, tid }) => `${pid}/${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === "RunTask" && places.has(`${pid}/${tid}`));
  return tasks
    .map(({ tdur = 0 }) => tdur / 1000)
    .toSorted((a, b) => b - a)
    .slice(0, 5);
}

interface Traced {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of the thread's own time, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

// Issue 10: Speed. Never a part of `npm test`: it takes minutes.
test.runIf(runs > 0 && browserPath !== undefined)(
  "the page is smooth at a hundred events a second, and its memory stays",
  { timeout: 1_200_000 },
  async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const host = await ToldHost.start();
    onTestFinished(() => host.stop());
    const page = await browser.newPage({ viewport: { width: 1440, height: 840 } });
    await page.goto(host.url);
    await page.getByRole("status").getByText("live").waitFor();
    const shows = (count: number) => page.getByText(`${count.toLocaleString("en")} events`).waitFor();

    const live = () =>
      longestTasks(page, async () => {
        const last = host.told + LIVE_EVENTS;
        while (host.told < last) {
          host.tell(LIVE_EVENTS / LIVE_PARTS / LIVE_SECONDS);
          await sleep(1000 / LIVE_PARTS);
        }
        await shows(last);
      });

    host.tell(EVENTS_A_RUN);
    await shows(EVENTS_A_RUN);
    const few = await live();
    const heapWith = async (events: number): Promise<number> => {
      while (host.told < events) {
        host.tell(EVENTS_A_RUN);
        await shows(host.told);
      }
      return heapBytes(page);
    };
    const before = await heapWith((runs * EVENTS_A_RUN) / PART);
    const grown = (await heapWith(runs * EVENTS_A_RUN)) / before;
    const many = await live();
    const inWords = (tasks: readonly number[]) => tasks.map((ms) => `${ms.toFixed(1)} ms`).join(", ");
    process.stdout.write(
      `longest tasks: ${inWords(few)}; with ${host.told} events: ${inWords(many)}; ` +
        `${(before / 2 ** 20).toFixed(1)} MB with ${(runs * EVENTS_A_RUN) / PART} events, ` +
        `${grown.toFixed(2)} times as much with ${runs * EVENTS_A_RUN}\n`,
    );
    expect(await page.locator(".problems").count()).toBe(0);
    for (const tasks of [few, many]) {
      expect(tasks[0]).toBeGreaterThan(0);
      expect(tasks[0]).toBeLessThan(MAX_FRAME_MS);
    }
    expect(grown).toBeLessThan(MAX_GROWTH);
  },
);
