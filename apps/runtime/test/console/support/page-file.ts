import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { consolePage, readConsoleFiles } from "../../../src/page/console-page.ts";

/** The page as the build left it. */
export const builtConsole: string = fileURLToPath(new URL("../../../dist/console/", import.meta.url));

/** Writes a log as a page; answers its address. The test's end removes it. */
export async function pageFile(name: string, lines: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "basis-console-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const pieces: string[] = [];
  for await (const piece of consolePage({ name, lines, files: readConsoleFiles(builtConsole) }))
    pieces.push(piece);
  const file = join(folder, "page.html");
  writeFileSync(file, pieces.join(""));
  return pathToFileURL(file).href;
}
