import type { ListedHook } from "../../../src/cli/hook-listing.ts";
import { parseHooksFile } from "../../../src/node/hooks-file.ts";

/** A hook of a listing, from facts as in hooks.json. */
export function listedHook(facts: object = {}, rank: ListedHook["rank"] = "workspace"): ListedHook {
  const text = JSON.stringify({ schema: 1, hooks: [{ name: "guard", command: ["true"], ...facts }] });
  const [settings] = parseHooksFile("/w/.basis/hooks.json", text);
  return {
    rank,
    settings: settings!,
    path: "/w/.basis/hooks.json",
    line: 1,
    trust: rank === "global" ? "operator" : "trusted",
    why: undefined,
  };
}
