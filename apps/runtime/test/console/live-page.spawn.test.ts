import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { openTestHost, type TestHostOptions } from "../harness/test-host.ts";
import { HttpClient, TOKEN } from "../http/support/http-client.ts";
import { browserPath, complaintsOf, openBrowser } from "./support/browser.ts";
import { builtConsole } from "./support/page-file.ts";

let browser: Browser;
beforeAll(async () => {
  if (browserPath !== undefined) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function setUp(options: TestHostOptions = {}) {
  const probe = probeTool("probe", { level: "process" });
  const approver = new RecordingApprover({ decision: "park" });
  const host = await openTestHost({ approver, tools: [probe], ...options });
  const client = new HttpClient(host, { assets: builtConsole, times: { pollMs: 20 } });
  const { port } = await client.address;
  const root = `http://127.0.0.1:${port}/`;
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  onTestFinished(() => page.close());
  const complaints = complaintsOf(page);
  return { host, client, probe, root, page, complaints };
}

const asking = { calls: [{ name: "probe", input: { value: "1" } }] };
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

// S6, S38, ADR 0043
describe.runIf(browserPath !== undefined)("the console at a host", () => {
  test("answers calls that wait in two steps with a person's token; Enter alone does nothing", async () => {
    const agents = { main: [asking, { text: "done" }, asking, { text: "sorry" }] };
    const { host, client, probe, root, page, complaints } = await setUp({ agents });
    await page.goto(`${root}#token=${TOKEN}`);
    await expect.poll(() => page.url()).toBe(root);
    const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
    await client.call("runs/wait", { run });
    const token = makeGrantToken(host.dataDir);

    await button(page, "1 call waits for you").click();
    await button(page, "Allow …").click();
    await page.keyboard.press("Enter");
    await page.getByLabel(/^Reason/).fill("fine\n");
    await page.getByLabel(/^Token/).fill("x".repeat(43));
    await page.keyboard.press("Enter");
    expect(await client.call("approvals/list")).toMatchObject({ approvals: [{ state: "open" }] });
    await button(page, "Allow this call of probe").click();
    await page.getByRole("alert").getByText("the token is not the one").waitFor();
    await page.getByLabel(/^Token/).fill(token);
    await button(page, "Allow this call of probe").click();
    await page.getByRole("row", { name: "done" }).waitFor();
    expect(probe.ran).toHaveLength(1);
    expect(await client.call("approvals/list", { all: true })).toMatchObject({
      approvals: [{ reason: "fine", answered_by: expect.stringContaining("with the token") }],
    });

    const again = await client.call("runs/start", { prompt: "more", session: "writer" });
    await client.call("runs/wait", { run: again.run });
    await button(page, "1 call waits for you").click();
    await button(page, "Deny …").click();
    await page.getByLabel(/^Reason/).fill("not now");
    await page.getByLabel("Remember it as a rule").selectOption("workspace");
    const shown = page.getByLabel("what the rule would decide");
    await expect.poll(() => shown.textContent()).toContain("by any agent");
    await button(page, "Deny this call of probe").click();
    await page.getByRole("row", { name: "sorry" }).waitFor();
    expect(probe.ran).toHaveLength(1);
    expect(JSON.stringify(host.models.requests.at(-1))).toContain("not now");
    expect(await client.call("rules/list")).toMatchObject({
      rules: [{ effect: "deny", tool: "probe", scope: "workspace", agent: null }],
    });
    const stored = await page.evaluate<string>(
      "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href])",
    );
    expect(stored).not.toContain(token);
    expect(complaints).toEqual([]);
  });

  test("forks where that is legal, says why elsewhere, and recovers a fork that nobody sits in", async () => {
    const list = { calls: [{ name: "list", input: { path: "." } }] };
    const agents = { main: [list, { text: "done" }] };
    let tries = 0;
    const provisioner = {
      provision: async () => {
        tries += 1;
        if (tries === 1) throw new Error("the machine is away");
        return {};
      },
    };
    const { client, root, page, complaints } = await setUp({ agents, provisioner });
    const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
    await client.call("runs/wait", { run });
    await page.goto(`${root}#token=${TOKEN}`);
    await page.getByRole("tab", { name: "Transcript" }).click();
    const messages = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("button", { name: "Fork here …" }) });
    await expect.poll(() => messages.count()).toBe(4);
    expect(await button(page, "Fork here …").nth(1).getAttribute("aria-disabled")).toBe("true");
    expect(await messages.nth(1).textContent()).toContain("the call of list has no result yet");
    await button(page, "Fork here …").nth(2).click();
    await page.getByLabel("Name of the fork").fill("branch");
    await button(page, "Fork writer behind message 3").click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("row", { name: "committed, nobody seated" }).click();
    await button(page, "Recover …").click();
    await button(page, "Seat branch in its fork").click();
    await page.getByRole("row", { name: "recovered and seated" }).waitFor();
    await page.getByRole("navigation", { name: "Sessions" }).getByText("from message 3").waitFor();
    expect(complaints).toEqual([]);
  });

  test("exports what it shows as a file, shows the log as it was, and tells that its host is gone", async () => {
    const agents = { main: [{ text: "first" }, { text: "second" }] };
    const { host, client, root, page } = await setUp({ agents });
    for (const prompt of ["one", "two"]) {
      const { run } = await client.call("runs/start", {
        prompt,
        ...(prompt === "one" ? { member: "w" } : { session: "w" }),
      });
      await client.call("runs/wait", { run });
    }
    await page.goto(`${root}#token=${TOKEN}`);
    await page.getByRole("row", { name: "second" }).waitFor();
    const rows = await page.getByRole("row").allTextContents();
    await page.getByLabel("Show the log as it was").fill("3");
    await expect.poll(() => page.getByRole("row", { name: "second" }).count()).toBe(0);
    await page.getByLabel("Show the log as it was").press("End");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Export as a page").click(),
    ]);
    const file = join(host.dataDir, "exported.html");
    await download.saveAs(file);
    expect(readFileSync(file, "utf8")).not.toContain(TOKEN);
    const opened = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const complaints = complaintsOf(opened);
    await opened.goto(pathToFileURL(file).href);
    expect(await opened.getByRole("row").allTextContents()).toEqual(rows);
    expect(complaints).toEqual([]);
    await opened.close();
    client.stop();
    await page.getByText("connection lost").waitFor();
    expect(await page.getByRole("row").allTextContents()).toEqual(rows);
  });

  test("teaches who comes without a token, and who comes with one of another start", async () => {
    const { root, page } = await setUp();
    await page.goto(root);
    await page.getByRole("heading", { name: "This page needs its token" }).waitFor();
    await page.goto(`${root}#token=of-another-start-0123456789abcdefghijkl`);
    await page.getByRole("heading", { name: "The host does not know this page's token." }).waitFor();
    expect(await page.getByText("basis serve").count()).toBeGreaterThan(0);
    await page.evaluate(`location.hash = "#token=${TOKEN}"`);
    await page.getByRole("heading", { name: "Nothing has run yet" }).waitFor();
    await expect.poll(() => page.url()).toBe(root);
    // A host that is not heard may have runs.
    await page.route("**/events", (route) => route.abort());
    await page.reload();
    await page.getByText("connection lost").waitFor();
    expect(await page.getByRole("heading", { name: "Nothing has run yet" }).count()).toBe(0);
    await page.getByText("Waiting for the host").waitFor();
  });

  test("is walked by keys alone, and what is shown is in its address", async () => {
    const agents = { main: [{ calls: [{ name: "list", input: { path: "." } }] }, { text: "done" }] };
    const { client, root, page } = await setUp({ agents });
    const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
    await client.call("runs/wait", { run });
    await page.goto(`${root}#token=${TOKEN}`);
    await page.getByRole("row", { name: "list" }).waitFor();
    await page.getByRole("treegrid").focus();
    const chosen = () => page.locator('[role="row"][aria-selected="true"]').textContent();
    await page.keyboard.press("End");
    await expect.poll(chosen).toContain("done");
    await page.keyboard.press("ArrowUp");
    await expect.poll(chosen).toContain("list");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.getByRole("row", { name: "list" }).count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect.poll(chosen).toContain("list");
    const address = page.url();
    expect(address).not.toContain(TOKEN);
    await page.keyboard.press("/");
    await page.keyboard.type("done");
    await expect.poll(() => page.getByRole("row", { name: "list" }).count()).toBe(0);
    await page.goto("about:blank");
    await page.goto(address);
    await expect.poll(chosen).toContain("list");

    await page.setViewportSize({ width: 400, height: 800 });
    await page.getByRole("treegrid").press("ArrowDown");
    await expect.poll(chosen).toContain("done");
    await page.getByRole("treegrid").press("Enter");
    await page.getByRole("tabpanel").getByText("done").waitFor();
  });
});
