// The finished site in a browser: every page has the places that its links name and fits a telephone. All documents, and of the
// reference, whose pages are made by one template a kind, the largest of each kind, are opened, and their scripts complain of
// nothing; the other pages are laid out one after the other in a page that is open, which costs a twentieth.
// `node tools/docs-browser.mjs [--shots FOLDER]`; without Chromium (BASIS_TEST_CHROMIUM names one) it says so.
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { Steps } from "./steps.mjs";
import { repositoryRoot } from "./workspace.mjs";
import { serveSite } from "./docs/site-server.mjs";

const site = join(repositoryRoot, "docs", "site");
const narrow = { width: 400, height: 800 };
const wide = { width: 1440, height: 900 };
const pagesAtOnce = 4;
/** Laid out in one call of the browser. */
const pagesAHand = 40;
const largestOfKind = 3;

/** The pages of which a picture is taken, in both widths. */
const shown = [
  "index.html",
  "documents/Guides.html",
  "documents/Guard_an_AI_SDK_agent.html",
  "documents/Errors.html",
  "documents/hooks__Bindings.html",
  "modules/_basis_hooks_ai-sdk.html",
  "functions/_basis_hooks.createHookChain.html",
];

/** The browser of this machine, if there is one. */
const browserPath = [process.env.BASIS_TEST_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);

/** @param {{ shots?: string | undefined }} [options] @returns {Promise<string[]>} */
async function siteProblems({ shots } = {}) {
  const { opened, laidOut } = pagesIn(site);
  if (opened.length === 0) return ["the site has no page"];
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const { url, close } = await serveSite(site);
  const browser = await chromium.launch({ executablePath: browserPath ?? "chromium", args });
  try {
    const context = await browser.newContext({ viewport: narrow });
    const visitors = Array.from({ length: pagesAtOnce }, () => visitAll(context, { url, pages: opened }));
    const looks = [...visitors, layOutAll(context, { url, pages: laidOut })];
    const problems = (await Promise.all(looks)).flat();
    if (shots !== undefined) await takeShots(browser, { url, folder: shots });
    return [...new Set(problems)];
  } finally {
    await browser.close();
    close();
  }
}

/** @param {string} folder @returns {{ opened: string[], laidOut: string[] }} paths below it. */
function pagesIn(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".html"),
  );
  const kindOf = (path) => (/[\\/]/.test(path) ? path.split(/[\\/]/)[0] : "documents");
  const sizes = new Map(pages.map((path) => [path, statSync(join(folder, path)).size]));
  const bySize = pages.toSorted((left, right) => (sizes.get(right) ?? 0) - (sizes.get(left) ?? 0));
  const kinds = [...new Set(pages.map(kindOf))];
  const opened = kinds.flatMap((kind) => {
    const own = bySize.filter((path) => kindOf(path) === kind);
    return kind === "documents" ? own : own.slice(0, largestOfKind);
  });
  return { opened, laidOut: pages.filter((path) => !opened.includes(path)) };
}

/** Puts one page after the other in the place of an open one, styles as they are there, and looks at each. */
async function layOutAll(context, { url, pages }) {
  const page = await context.newPage();
  await page.goto(`${url}/index.html`, { waitUntil: "load" });
  const problems = [];
  for (let from = 0; from < pages.length; from += pagesAHand) {
    const paths = pages.slice(from, from + pagesAHand).map((path) => encodeURI(path));
    problems.push(
      ...(await page.evaluate(`(${String(layOut)})(${JSON.stringify(paths)}, ${String(complaints)})`)),
    );
  }
  return problems;
}

/** Runs in the page. */
async function layOut(paths, look) {
  const { document, DOMParser, fetch } = /** @type {any} */ (globalThis);
  const problems = [];
  for (const path of paths) {
    const answer = await fetch(`/${path}`);
    if (!answer.ok) problems.push(`${path}: answered ${answer.status}`);
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const script of parsed.querySelectorAll("script")) script.remove();
    document.body.replaceWith(document.adoptNode(parsed.body));
    for (const what of look()) problems.push(`${path}: ${what}`);
  }
  return problems;
}

/** Visits pages in one tab until none is left. */
async function visitAll(context, { url, pages }) {
  const problems = [];
  const page = await context.newPage();
  let path = "";
  const complain = (what) => problems.push(`${path}: ${what}`);
  page.on("pageerror", ({ message }) => complain(message));
  page.on("console", (message) => message.type() === "error" && complain(message.text()));
  page.on("response", (answer) => answer.ok() || complain(`${answer.url()} answered ${answer.status()}`));
  for (path = pages.pop(); path !== undefined; path = pages.pop()) {
    await page.goto(`${url}/${encodeURI(path)}`, { waitUntil: "load" });
    for (const what of await page.evaluate(complaints)) complain(what);
  }
  return problems;
}

/** Runs in the page: what is broken once its scripts have run. */
function complaints() {
  const { document } = /** @type {any} */ (globalThis);
  const found = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    const isWide = (element) => element.getBoundingClientRect().right > clientWidth + 1;
    const widest = [...document.querySelectorAll(".col-content *")].findLast(isWide);
    found.push(
      `is ${scrollWidth} wide where ${clientWidth} are there: ${widest?.outerHTML.slice(0, 120) ?? "?"}`,
    );
  }
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    const name = decodeURIComponent(link.getAttribute("href").slice(1));
    if (name !== "" && !document.getElementById(name) && document.getElementsByName(name).length === 0)
      found.push(`has no place #${name}`);
  }
  if (document.body.innerText.trim().length < 40) found.push("shows nothing");
  return found;
}

async function takeShots(browser, { url, folder }) {
  mkdirSync(folder, { recursive: true });
  for (const [name, viewport] of Object.entries({ narrow, wide })) {
    const page = await browser.newPage({ viewport });
    for (const path of shown) {
      await page.goto(`${url}/${path}`, { waitUntil: "load" });
      await page.screenshot({ path: join(folder, `${name}-${path.replaceAll("/", "-")}.png`) });
    }
    await page.close();
  }
}

const { values } = parseArgs({ options: { shots: { type: "string" } } });
const steps = new Steps();
if (browserPath === undefined)
  process.stdout.write("there is no Chromium here (BASIS_TEST_CHROMIUM names one)\n");
else await steps.run("the site in a browser", () => siteProblems(values));
steps.finish();
