import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Environment } from "../config/data-dir.ts";
import { escapeHtml } from "../page/escape-html.ts";
import { holdsSecret } from "../secrets/environment-secrets.ts";

/** How long the file is kept that leads the browser to the page. */
const KEPT_MS = 60_000;

/** What opening needs beside the page: `fail` is told why there is no browser. */
export interface Opening {
  readonly env: Environment;
  readonly fail: (why: string) => void;
}

/**
 * Opens a page in the desktop's browser. The address holds a token, so it is handed over in a file of the user's alone
 * and never as an argument. The answer removes the file.
 */
export function openBrowser(url: string, { env, fail }: Opening): () => void {
  const program = programFor(env);
  if (program === undefined) {
    fail("there is no desktop here; open the address yourself");
    return () => undefined;
  }
  const { file, remove } = privateFile("open.html");
  const timer = setTimeout(remove, KEPT_MS).unref();
  writeFileSync(file, leadingTo(url), { mode: 0o600 });
  launch(program, file, {
    env,
    fail: (why) => fail(`no browser could be opened (${why}); open the address yourself`),
  });
  return () => {
    clearTimeout(timer);
    remove();
  };
}

/** A page that was written to a file of the user's alone, and what removes it. */
export interface OpenedFile {
  readonly file: string;
  readonly remove: () => void;
}

/** Writes a page to a file of the user's alone and opens it in the desktop's browser. */
export async function openPage(pieces: AsyncIterable<string>, { env, fail }: Opening): Promise<OpenedFile> {
  const opened = privateFile("page.html");
  const { file } = opened;
  try {
    await writeFile(file, pieces, { mode: 0o600 });
  } catch (error) {
    opened.remove();
    throw error;
  }
  const program = programFor(env);
  if (program === undefined) fail("there is no desktop here; open the file yourself");
  else
    launch(program, file, {
      env,
      fail: (why) => fail(`no browser could be opened (${why}); open the file yourself`),
    });
  return opened;
}

function privateFile(name: string): OpenedFile {
  const directory = mkdtempSync(join(tmpdir(), "basis-open-"));
  return {
    file: join(directory, name),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function launch(program: string, file: string, { env, fail }: Opening): void {
  const child = spawn(program, [pathToFileURL(file).href], {
    detached: true,
    stdio: "ignore",
    env: withoutSecrets(env),
  });
  child.once("error", ({ message }) => fail(message));
  child.unref();
}

/** A desktop needs much of the environment, and nothing that is a secret. */
function withoutSecrets(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !holdsSecret(name, value)));
}

function programFor(env: Environment): string | undefined {
  if (process.platform === "darwin") return "open";
  if (process.platform === "win32") return "explorer.exe";
  return (env["DISPLAY"] ?? env["WAYLAND_DISPLAY"] ?? "") === "" ? undefined : "xdg-open";
}

function leadingTo(url: string): string {
  const to = escapeHtml(url);
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${to}">
<title>basis</title>
<p><a href="${to}">basis</a></p>
`;
}
