import { join } from "node:path";
import { visibleText } from "@basis/approval";
import { ApprovalRefusal } from "../../approvals/answer-approval.ts";
import { isInteractive } from "../../approvals/ask-line.ts";
import { refuseAgents } from "../../approvals/lineage.ts";
import { personBehind } from "../../approvals/person.ts";
import { dataDirectory, openDataDirectory } from "../../config/data-dir.ts";
import { StartError, startStage } from "../../config/start-error.ts";
import {
  forgetTrust,
  recordTrust,
  trustReport,
  type TrustPlace,
  type TrustReport,
} from "../../host/trust-report.ts";
import { readAskedTools } from "../../host/workspace-tools.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { flag, text } from "../arguments/option.ts";
import { answer, columns, progress } from "../terminal/output-format.ts";

const options = {
  status: flag("show how it stands and ask nothing; the exit code is 1 unless all of it is trusted"),
  yes: flag("say yes without being asked, once you have read it"),
  digest: text("sha256:…", "only if this is what would be trusted; --status --json shows it"),
  unpinned: flag("trust code too that is in no file, as of npx or sh -c"),
  revoke: flag("forget that this folder was trusted"),
  json: flag("with --status: as JSON"),
};

type Given = Arguments<typeof options>["options"];

/** `basis trust`. */
export const trustCommand: Command = defineCommand({
  name: "trust",
  about: "Show what this folder's hooks, servers, tools, agents and skills are, and trust them.",
  more: [
    "Trust covers every entry of .basis/hooks.json, .mcp.json, .basis/tools.json, .basis/agents and .basis/skills, and the bytes of what they name. What changes afterwards refuses the next run until it is trusted anew.",
    "It grants authority: a person at a terminal types yes, or says --yes. A program that an agent started can neither grant nor revoke.",
  ],
  word: {
    name: "list|add|rm",
    about: "the same as --status, as nothing (trust it), as --revoke",
    required: false,
  },
  options,
  examples: [
    ["basis trust", "read those files, then type yes"],
    ["basis trust --status", "what is trusted, and what changed"],
    ["basis trust --yes --digest sha256:…", "trust exactly what was reviewed"],
  ],
  run({ word, options }, context) {
    const given = { ...options, ...meantBy(word) };
    refuseContradictions(given);
    if (word === "add" && (given.status || given.revoke))
      throw new UsageError([`trust add trusts: leave out --${given.status ? "status" : "revoke"}`]);
    if (!given.status) refuseAgents(context.env, given.revoke ? "trust --revoke" : "trust");
    return given.revoke ? revoke(given, context) : showOrGrant(given, context);
  },
});

/** A verb in place of an option. @throws UsageError */
function meantBy(word: string | undefined): Pick<Given, "status" | "revoke"> {
  switch (word) {
    case undefined:
    case "add":
      return {};
    case "list":
      return { status: true };
    case "rm":
      return { revoke: true };
    default:
      throw new UsageError([`trust takes list, add or rm, not '${word}'`, "see: basis trust --help"]);
  }
}

function refuseContradictions(given: Given): void {
  const problems: string[] = [];
  if (given.status && given.revoke) problems.push("--status and --revoke exclude each other");
  if (given.json && !given.status) problems.push("--json goes with --status");
  const granting = (["yes", "digest", "unpinned"] as const).filter((name) => given[name] !== undefined);
  if (given.status && granting.length > 0)
    problems.push(`--status only shows: leave out --${granting.join(", --")}`);
  if (given.revoke && granting.some((name) => name !== "yes")) problems.push("--revoke trusts nothing");
  if (problems.length > 0) throw new UsageError([...problems, "see: basis trust --help"]);
}

function placeOf({ env, directory, interrupt }: CommandContext): TrustPlace {
  const dataDir = openDataDirectory(dataDirectory(env), directory);
  return { workspace: directory, trustFile: join(dataDir, "trust.json"), env, signal: interrupt.signal };
}

async function showOrGrant(given: Given, context: CommandContext): Promise<ExitCode> {
  const place = placeOf(context);
  const asked = await readAskedTools(place);
  const report = await startStage("trust", () => trustReport(place, asked));
  const settled = report.state === "trusted" || report.state === "nothing to trust";
  if (given.status) {
    const { hooksDigest: _, ...told } = report;
    answer(given.json ? JSON.stringify(told, null, 2) : reportLines(report).join("\n"));
    return settled ? exitCode.ok : exitCode.failed;
  }
  for (const line of reportLines(report)) progress(line);
  if (given.digest !== undefined && given.digest !== report.digest)
    throw new ApprovalRefusal(
      `its digest is ${report.digest}, not the one that was reviewed; nothing was changed`,
    );
  if (settled) return exitCode.ok;
  await confirm("Trust this?", given, context);
  const allowUnpinned = given.unpinned ?? false;
  await startStage("trust", () => recordTrust(place, { report, asked, allowUnpinned }));
  progress("trusted");
  return exitCode.ok;
}

async function revoke(given: Given, context: CommandContext): Promise<ExitCode> {
  const place = placeOf(context);
  await confirm(`Forget the trust in ${visibleText(place.workspace)}?`, given, context);
  const known = await startStage("trust", () => forgetTrust(place));
  progress(known ? "it is trusted no more" : "it was not trusted; nothing changed");
  return exitCode.ok;
}

/** @throws ApprovalRefusal when the person says no. */
async function confirm(question: string, given: Given, context: CommandContext): Promise<void> {
  if (given.yes) return;
  if (!isInteractive({ input: process.stdin, output: process.stderr }))
    throw new StartError("trust", [
      "nobody can be asked here: run it in a terminal, or read what it would do and add --yes",
    ]);
  const { env, directory, interrupt } = context;
  const place = { env, directory, dataDir: dataDirectory(env), signal: interrupt.signal };
  if ((await personBehind({ ...place, what: "trust", lines: [], question })) === undefined)
    throw new ApprovalRefusal("nothing was changed");
}

function reportLines({ workspace, state, digest, things }: TrustReport): readonly string[] {
  const rows = things.map((thing) => [
    `  ${visibleText(thing.what)}`,
    thing.state,
    visibleText([...thing.why, ...thing.unpinned.map((why) => `unpinned: ${why}`)].join("; ")),
  ]);
  const listed = rows.length === 0 ? [] : [columns(rows)];
  return [visibleText(workspace), ...listed, `state   ${state}`, `digest  ${digest}`];
}
