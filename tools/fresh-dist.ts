// Vitest's global setup: what starts as its own process runs from dist, so dist must be as new as src.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { joinHost } from "./joined-host.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The built command line's entry, joined from dist. */
    readonly basisEntry: string;
  }
}

const newest = (dir: string, ending: RegExp): number =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);

export async function setup({ provide }: TestProject): Promise<void> {
  let latest = 0;
  for (const parent of ["packages", "apps"]) {
    for (const name of readdirSync(parent)) {
      const dir = join(parent, name);
      if (!existsSync(join(dir, "src"))) continue;
      const info = join(dir, "dist", ".tsbuildinfo");
      const built = existsSync(info) ? statSync(info).mtimeMs : 0;
      if (newest(join(dir, "src"), /\.ts$/) > built) {
        throw new Error(`${dir}/dist is older than its src: run "npm run build" first`);
      }
      latest = Math.max(latest, newest(join(dir, "dist"), /\.(js|tsbuildinfo)$/));
    }
  }
  const page = join("apps", "runtime", "dist", "console", "app.js");
  const bundled = existsSync(page) ? statSync(page).mtimeMs : 0;
  if (newest(join("apps", "runtime", "console"), /\.(tsx?|css|html)$/) > bundled)
    throw new Error(`${page} is older than the page's source: run "npm run build" first`);
  provide("basisEntry", await joinHost(latest));
}
