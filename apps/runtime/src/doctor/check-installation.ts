import { readFileSync } from "node:fs";
import type { Finding } from "./finding.ts";

/** Whether everything is there that this package is installed with. */
export function checkInstallation(names: readonly string[] = dependencies()): Finding {
  const missing = names.filter((name) => !isThere(name));
  const found = { section: "machine", name: "installation", facts: { missing } } as const;
  if (missing.length === 0) return { ...found, level: "ok", text: `all ${names.length} packages are there` };
  return {
    ...found,
    level: "problem",
    text: `not installed: ${missing.join(", ")}`,
    fix: "install @basis/runtime again",
  };
}

function dependencies(): readonly string[] {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return Object.keys((JSON.parse(manifest) as { dependencies: object }).dependencies);
}

function isThere(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND";
  }
}
