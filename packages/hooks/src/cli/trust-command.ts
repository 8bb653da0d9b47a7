import { visibleText, type JsonObject } from "@basis/core";
import { HookError } from "../hook-error.ts";
import { modifiedWorkspace, revokeTrust, trustWorkspace, unpinnedReasons } from "../trust/trust-workspace.ts";
import { isBelowAgent, LINEAGE_VARIABLE } from "./agent-lineage.ts";
import { askForYes } from "./ask-for-yes.ts";
import { jsonOption, type Arguments, type Command, type CommandContext, type OptionSpec } from "./command.ts";
import { exitCode, Refusal, UsageError, type ExitCode } from "./exit-code.ts";
import { listHooks, type HookListing } from "./hook-listing.ts";
import { ownPlaceOf, placeOptions, type HookPlace } from "./hook-place.ts";
import { jsonText } from "./layout.ts";
import { renderTrust, trustToWire } from "./render-trust.ts";

type Option = "status" | "revoke" | "yes" | "digest" | "allow-unpinned" | "workspace" | "trust-file" | "json";

const options: Readonly<Record<Option, OptionSpec>> = {
  status: { about: "show the state and ask nothing; the exit code is 1 unless trusted" },
  revoke: { about: "forget that the workspace was trusted" },
  yes: { about: "say yes without being asked, as scripts must" },
  digest: { value: "sha256:…", about: "only if this is what would be trusted; --status --json shows it" },
  "allow-unpinned": { about: "trust code that cannot be pinned as well" },
  workspace: placeOptions.workspace,
  "trust-file": placeOptions["trust-file"],
  json: jsonOption,
};

type Given = Arguments<Option>;

export const trustCommand: Command<Option> = {
  name: "trust",
  about: "show what a workspace's hooks would run, and trust it",
  more: [
    "Trust covers the ordered entries with every field, the bytes of their scripts and of the files they declare. What " +
      "changes afterwards refuses to run until it is trusted anew.",
    "It grants authority: a person at a terminal types yes, or a script passes --yes. A program that an agent started " +
      `(${LINEAGE_VARIABLE} is set, there or in a process above) can neither grant nor revoke.`,
  ],
  options,
  examples: [
    ["basis-hooks trust", "read what this folder's hooks would run, then type yes"],
    ["basis-hooks trust --status", "say whether they are trusted, and what changed"],
    ["basis-hooks trust --yes --digest sha256:…", "trust exactly what was reviewed"],
  ],
  async run(args, context): Promise<ExitCode> {
    refuseContradictions(args);
    const place = ownPlaceOf(args, context);
    if (args.has("status")) return showStatus(args, place, context);
    refuseAgents(context);
    return args.has("revoke") ? revoke(args, place, context) : grant(args, place, context);
  },
};

function refuseContradictions(args: Given): void {
  if (args.has("status") && args.has("revoke"))
    throw new UsageError(["--status and --revoke exclude each other"]);
  if (args.has("json") && !args.has("status") && !args.has("yes"))
    throw new UsageError(["--json asks nobody: add --status to look, or --yes to answer"]);
  const grants = (["yes", "digest", "allow-unpinned"] as const).filter((name) => args.has(name));
  if (args.has("status") && grants.length > 0)
    throw new UsageError([`--status only shows: leave out --${grants.join(", --")}`]);
}

/** S6: an agent must not approve itself, nor take a guard away. */
function refuseAgents({ env }: CommandContext): void {
  if (!isBelowAgent(env)) return;
  throw new Refusal(
    `this was started by an agent (${LINEAGE_VARIABLE} is set here or in a process above): trust is granted and revoked by people; run it yourself, in a terminal of your own`,
  );
}

async function showStatus(args: Given, place: HookPlace, context: CommandContext): Promise<ExitCode> {
  const listing = await listHooks(place);
  print(listing, args, context);
  return listing.trust === "trusted" ? exitCode.ok : exitCode.found;
}

async function grant(args: Given, place: HookPlace, context: CommandContext): Promise<ExitCode> {
  const listing = await listHooks(place);
  const isJson = args.has("json");
  if (!isJson) print(listing, args, context);
  if (listing.trust !== "trusted") {
    refuseOtherDigest(args, listing);
    refuseUnpinned(args, listing);
    await confirm("Trust this?", args, context);
    await record(args, place, listing);
    if (!isJson)
      context.print(`${context.paint.good("trusted")}: recorded in ${visibleText(place.trustFile)}\n`);
  }
  if (isJson) print(await listHooks(place), args, context);
  return exitCode.ok;
}

async function record(args: Given, place: HookPlace, { workspace, digest }: HookListing): Promise<void> {
  const { trustFile, env, signal } = place;
  const allowUnpinned = args.has("allow-unpinned");
  await trustWorkspace({ workspace, trustFile, env, digest, allowUnpinned, signal });
}

async function revoke(args: Given, place: HookPlace, context: CommandContext): Promise<ExitCode> {
  const { workspace, trustFile, signal } = place;
  await confirm(`Forget the trust in ${workspace}?`, args, context);
  const wasKnown = await revokeTrust({ workspace, trustFile, signal });
  const says = wasKnown
    ? "its hooks do not run any more from the next opening on"
    : "it was not trusted; nothing changed";
  context.print(
    args.has("json") ? jsonText({ workspace, revoked: wasKnown }) : `${visibleText(workspace)}: ${says}\n`,
  );
  return exitCode.ok;
}

function print(listing: HookListing, args: Given, { paint, print: write }: CommandContext): void {
  write(args.has("json") ? jsonText(trustToWire(listing) satisfies JsonObject) : renderTrust(listing, paint));
}

function refuseOtherDigest(args: Given, { workspace, path, digest }: HookListing): void {
  const reviewed = args.text("digest");
  if (reviewed === undefined || reviewed === digest) return;
  throw modifiedWorkspace({ workspace, path }, [`its digest is ${digest}, and ${reviewed} was asked for`]);
}

/** Before the question: a yes that cannot be recorded is not worth asking for. */
function refuseUnpinned(args: Given, { workspace, path, pins }: HookListing): void {
  const unpinned = unpinnedReasons(pins);
  if (unpinned.length === 0 || args.has("allow-unpinned")) return;
  throw new HookError("unpinned_code", `${path} has code that cannot be pinned: ${unpinned.join("; ")}`, {
    details: { workspace, path, unpinned },
  });
}

async function confirm(question: string, args: Given, context: CommandContext): Promise<void> {
  if (args.has("yes")) return;
  const { stdin, stderr, signal } = context;
  if (!stdin.isTTY || !stderr.isTTY)
    throw new Refusal("nobody can be asked here: run it in a terminal, or add --yes once you have read it");
  const words = `${visibleText(question)} Type yes, anything else leaves it as it is: `;
  if (await askForYes(words, { input: stdin, output: stderr, signal })) return;
  throw new Refusal("nothing was changed");
}
