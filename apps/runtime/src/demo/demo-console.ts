import { loadAssets } from "../http/assets.ts";
import { openBrowser } from "../http/open-browser.ts";
import { canonicalHost } from "../http/server-address.ts";
import { fixedWorkspace } from "../host/live-workspace.ts";
import { serveHttp } from "../http/serve-http.ts";
import { randomToken } from "../http/server-token.ts";
import { consoleDirectory } from "../page/console-page.ts";
import type { Environment } from "../config/data-dir.ts";
import type { DemoHost } from "./run-demo.ts";

/** The console beside the demonstration. */
export interface DemoConsole {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the console of the demonstration's host to this machine, at a free port, and opens it in a browser. */
export async function openDemoConsole(
  { runtime, facts, story }: DemoHost,
  { env, dataDir }: { readonly env: Environment; readonly dataDir: string },
): Promise<DemoConsole> {
  const ending = new AbortController();
  const token = randomToken();
  let over: Promise<void> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    over = serveHttp({
      host: { runtime, workspace: fixedWorkspace(facts), env, dataDir },
      address: { host: "127.0.0.1", port: 0 },
      token,
      assets: loadAssets(consoleDirectory),
      signal: ending.signal,
      onListening: ({ host, port }) => resolve(`http://${canonicalHost(host)}:${port}/#token=${token}`),
      report: (method, error) => story.fail(`${method} of the console: ${String(error)}`),
    });
    over.catch(reject);
  });
  const forget = openBrowser(url, { env, fail: (why) => story.say("console", why) });
  const close = async (): Promise<void> => {
    ending.abort();
    await over?.finally(forget);
  };
  return { url, close };
}
