import { existsSync } from "node:fs";
import { chromium, type Browser, type Page } from "playwright-core";

const candidates = [process.env["BASIS_TEST_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"];

/** The browser of this machine; without one, what needs it is not tested, which a line says. */
export const browserPath: string | undefined = candidates.find(
  (path) => path !== undefined && existsSync(path),
);
if (browserPath === undefined)
  process.stderr.write("there is no Chromium here (BASIS_TEST_CHROMIUM names one): its tests are not run\n");

/** Starts the browser. */
export function openBrowser(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: browserPath!, args });
}

/** What a page complained about: failures of its script, and what its policy refused. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return complaints;
}
