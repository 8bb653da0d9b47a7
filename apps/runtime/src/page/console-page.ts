import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StartError } from "../config/start-error.ts";
import { consoleHtml, type ConsoleFiles } from "./console-html.ts";

/** The page as it was built: it lies beside this program's other folders. */
export const consoleDirectory: string = fileURLToPath(new URL("../console/", import.meta.url));

/** @throws StartError `workspace` where the console was not built. */
export function readConsoleFiles(directory: string = consoleDirectory): ConsoleFiles {
  try {
    return {
      script: readFileSync(join(directory, "page.js"), "utf8"),
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
  readonly files: ConsoleFiles;
}

/** A log as one page of HTML. Comes in pieces, so that memory does not grow with the log. */
export async function* consolePage(page: ConsolePage): AsyncGenerator<string, void, undefined> {
  const { name, lines, files } = page;
  const digests = { script: digest(files.script), style: digest(files.style) };
  const { before, line, after } = consoleHtml({ name, files, digests });
  yield before;
  for await (const each of lines) yield line(each);
  yield after;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
