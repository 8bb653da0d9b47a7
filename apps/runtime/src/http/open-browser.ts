import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Environment } from "../config/data-dir.ts";
import { SECRET_NAME } from "../config/known-secrets.ts";
import { escapeHtml } from "../page/escape-html.ts";

/** How long the file is kept that leads the browser to the page. */
const KEPT_MS = 60_000;

/**
 * Opens a page in the desktop's browser. The address holds a token, so it is handed over in a file of the user's alone
 * and never as an argument. `fail` is told why there is no browser. The answer removes the file.
 */
export function openBrowser(url: string, env: Environment, fail: (why: string) => void): () => void {
  const program = programFor(env);
  if (program === undefined) {
    fail("there is no desktop here; open the address yourself");
    return () => undefined;
  }
  const directory = mkdtempSync(join(tmpdir(), "basis-open-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const timer = setTimeout(remove, KEPT_MS).unref();
  const file = join(directory, "open.html");
  writeFileSync(file, leadingTo(url), { mode: 0o600 });
  const child = spawn(program, [pathToFileURL(file).href], {
    detached: true,
    stdio: "ignore",
    env: withoutSecrets(env),
  });
  child.once("error", ({ message }) =>
    fail(`no browser could be opened (${message}); open the address yourself`),
  );
  child.unref();
  return () => {
    clearTimeout(timer);
    remove();
  };
}

/** A desktop needs much of the environment, and none of what is named like a secret. */
function withoutSecrets(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_NAME.test(name)));
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
