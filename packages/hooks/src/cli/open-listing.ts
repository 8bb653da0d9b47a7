import type { HookChain } from "../hook-chain.ts";
import type { Reporter } from "../hook-report.ts";
import type { RankedHooks } from "../node/discover-hooks.ts";
import { openChain } from "../node/open-hooks.ts";
import { trustedHooks } from "../node/workspace-trust.ts";
import type { OptionSpec } from "./command.ts";
import type { HookListing } from "./hook-listing.ts";
import type { HookPlace } from "./hook-place.ts";

/** The option of commands that run hooks. */
export const runUntrustedOption: OptionSpec = {
  about:
    "run the workspace's hooks although nobody has trusted them; never what differs from what was trusted",
};

/** Whether hooks that nobody has trusted run, and who hears what goes wrong. */
export interface OpenListingOptions {
  readonly runUntrusted: boolean;
  readonly report: Reporter;
}

/**
 * The hooks of a listing that may run, by rank and in order.
 *
 * @throws HookError `untrusted_workspace` unless told to run them, `modified_workspace`, `invalid_trust_file`.
 */
export async function runnableHooks(
  listing: HookListing,
  place: HookPlace,
  options: OpenListingOptions,
): Promise<readonly RankedHooks[]> {
  const { workspace, path } = listing;
  const { trustFile, env, signal } = place;
  const of = (rank: "global" | "workspace") =>
    listing.hooks.filter((hook) => hook.rank === rank).map(({ settings }) => settings);
  const own = await trustedHooks(
    { workspace, path, hooks: of("workspace") },
    {
      trust: options.runUntrusted ? "run" : "refuse",
      report: options.report,
      isTrusted: undefined,
      trustFile,
      env,
      signal,
    },
  );
  return [
    { rank: "global", hooks: of("global") },
    { rank: "workspace", ...own },
  ];
}

/** Opens a chain of exactly these hooks. */
export async function openPlan(
  workspace: string,
  plan: readonly RankedHooks[],
  options: { readonly place: HookPlace; readonly report: Reporter },
): Promise<HookChain> {
  const { place, report } = options;
  return openChain(workspace, plan, { workspace, env: place.env, report });
}
