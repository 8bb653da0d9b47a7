import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StartError } from "../config/start-error.ts";
import { escapeHtml } from "./escape-html.ts";

/** The page as it was built: it lies beside this program's other folders. */
export const consoleDirectory: string = fileURLToPath(new URL("../console/", import.meta.url));

/** The script and the style of the console, as they were built. */
export interface ConsoleFiles {
  readonly script: string;
  readonly style: string;
}

/** @throws StartError `workspace` where the console was not built. */
export function readConsoleFiles(directory: string = consoleDirectory): ConsoleFiles {
  try {
    return {
      script: readFileSync(join(directory, "app.js"), "utf8"),
      style: readFileSync(join(directory, "app.css"), "utf8"),
    };
  } catch (cause) {
    throw new StartError("workspace", [
      `${directory}: the console's page is not there (${(cause as Error).message})`,
      "install the package anew; in a checkout: npm run build",
    ]);
  }
}

/** What a page of a log is made of. */
export interface ConsolePage {
  /** What the log is called. */
  readonly name: string;
  /** Its lines, each the JSON of an event. A line that is none is told by the page. */
  readonly lines: Iterable<string> | AsyncIterable<string>;
  /** What is shown where no script runs, as HTML. */
  readonly plain?: AsyncIterable<string>;
  readonly files: ConsoleFiles;
}

/**
 * A log as one page of HTML that needs nothing else: the console with the events inside. Its policy allows its own
 * script and style alone, by their digests: nothing is loaded and nothing sent. What the log holds is data, in which no
 * tag can begin. Comes in pieces, so that memory does not grow with the log.
 */
export async function* consolePage(page: ConsolePage): AsyncGenerator<string, void, undefined> {
  const { name, lines, plain, files } = page;
  const style = inElement(files.style, "style");
  const script = inElement(files.script, "script");
  yield [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policyOf(script, style))}">`,
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(name)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<script type="application/x-ndjson" id="basis-log" data-name="${escapeHtml(name)}">`,
  ].join("\n");
  for await (const line of lines) yield `\n${inData(line)}`;
  yield "\n</script>\n<noscript>\n";
  if (plain === undefined) yield "<p>This page shows a recorded run, and needs its own script for that.</p>";
  else for await (const piece of plain) yield piece;
  yield `\n</noscript>\n<script type="module">${script}</script>\n</body>\n</html>\n`;
}

function policyOf(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** JSON in which no tag begins and no line of script ends: these characters stand in its strings alone. */
function inData(line: string): string {
  return line.replaceAll(
    /[<\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The own script and style never end their element. */
function inElement(text: string, element: string): string {
  if (text.toLowerCase().includes(`</${element}`) || text.includes("<!--"))
    throw new Error(`the console's ${element} would end its own element`);
  return text;
}
