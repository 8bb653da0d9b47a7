import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import { visibleText } from "@basis/approval";
import { isSessionError } from "@mobkit/session";
import {
  importSession,
  splitLines,
  verifyBundle,
  type BundleSummary,
  type ImportReport,
  type ImportTarget,
} from "@mobkit/session/bundle";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { memberName } from "../arguments/member-name.ts";
import { withState } from "../open-host.ts";
import { flag } from "../arguments/option.ts";
import { answer, counted, progress } from "../terminal/output-format.ts";
import { tellRefusal } from "./refusal.ts";
import { shellWord } from "../terminal/shell-word.ts";

const options = {
  as: memberName("the name of the new member. Default: the one that the bundle tells; needed with -"),
  "dry-run": flag("verify the bundle and tell what it holds; write nothing"),
  json: flag("the result, or the refusal, as JSON on standard output"),
};

type ImportArguments = Arguments<typeof options>;

/** `basis sessions import`. */
export const sessionImportCommand: Command = defineCommand({
  name: "sessions import",
  about: "Take a bundle in as a session of its own: all of it, or nothing.",
  more: [
    "Every line is verified first; a bundle that is cut off, changed or of another format is refused, naming the line, and leaves nothing behind. The session gets a new id. Approvals, rules and leases do not come along, whatever the bundle says.",
    "A transcript steers the model that reads it: import what you would also run. A call that had no result in it is told as interrupted by the next run, and not repeated.",
  ],
  word: { name: "FILE", about: "the bundle; - reads it from standard input", required: true },
  options,
  examples: [
    ["basis sessions import reviewer.jsonl --dry-run", "look before"],
    ["basis sessions import reviewer.jsonl --as reviewer-2", "under a name that is free"],
    ["gunzip -c reviewer.jsonl.gz | basis sessions import - --as reviewer", "from a pipe"],
  ],
  async run(args, context) {
    const source = openSource(args, context);
    if (args.options["dry-run"]) return previewBundle(source, args, context);
    return withState(context, (state) => importFrom(state, source, { args, context }));
  },
});

/** What can be wrong with a bundle. */
const bundleCodes: ReadonlySet<string> = new Set(["invalid_bundle", "bundle_newer", "shape_mismatch"]);

interface BundleSource {
  readonly name: string;
  readonly fromFile: boolean;
  lines(): AsyncIterable<string>;
}

function openSource({ word, options: given }: ImportArguments, { directory }: CommandContext): BundleSource {
  if (word === "-") {
    if (given.as === undefined && !given["dry-run"])
      throw new UsageError(["a bundle from standard input needs a name: --as NAME"]);
    return { name: "standard input", fromFile: false, lines: () => splitLines(process.stdin) };
  }
  const file = resolve(directory, word!);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError([`there is no file ${file}`]);
  if (!found.isFile()) throw new UsageError([`${file} is not a file; a pipe is read with: -`]);
  return { name: file, fromFile: true, lines: () => splitLines(createReadStream(file)) };
}

async function previewBundle(
  source: BundleSource,
  { options: given }: ImportArguments,
  context: CommandContext,
): Promise<ExitCode> {
  return withState(context, async ({ store }) => {
    try {
      const { signal } = context.interrupt;
      const summary = await verifyBundle(source.lines(), { shape: store.shape, signal });
      if (given.json) answer(JSON.stringify({ dry_run: true, ...bundleView(summary) }));
      else answer(summaryInWords(summary));
      return exitCode.ok;
    } catch (error) {
      return refuse(error, source, given.json ?? false);
    }
  });
}

async function importFrom(
  { store }: HostState,
  source: BundleSource,
  { args, context }: { readonly args: ImportArguments; readonly context: CommandContext },
): Promise<ExitCode> {
  const { options: given } = args;
  const { signal } = context.interrupt;
  const target = store as ImportTarget<ModelMessage>;
  try {
    const known = source.fromFile
      ? await verifyBundle(source.lines(), { shape: store.shape, signal })
      : undefined;
    const member = given.as ?? readName(known?.origin.member);
    const bundleDigest = known?.bundleDigest;
    const report = await importSession(target, source.lines(), {
      member,
      role: "main",
      bundleDigest,
      signal,
    });
    show(report, given.json ?? false);
    return exitCode.ok;
  } catch (error) {
    return refuse(error, source, given.json ?? false);
  }
}

/** The name that a bundle tells is foreign text: it must be one that could be given. */
function readName(told: string | null | undefined): string {
  if (told === null || told === undefined)
    throw new UsageError(["the bundle names no member; give one with --as NAME"]);
  try {
    return memberName("").read(told);
  } catch {
    throw new UsageError([`the bundle's member has a name that cannot be used; give one with --as NAME`]);
  }
}

function show({ session, member, bundle }: ImportReport, asJson: boolean): void {
  if (asJson) {
    answer(JSON.stringify({ session: session.id, member: member.member, ...bundleView(bundle) }));
    return;
  }
  answer(`${visibleText(member.member)}: ${counted(session.len, "message")}, session ${session.id}`);
  if (bundle.redacted > 0)
    progress(`${counted(bundle.redacted, "message")} of it had been redacted and cannot be verified`);
  if (bundle.openCalls.length > 0)
    progress(`${counted(bundle.openCalls.length, "call")} had no result; the next run tells the model so`);
  progress(`its next turn: basis run --session ${shellWord(member.member)} "PROMPT"`);
}

function bundleView({
  origin,
  messages,
  redacted,
  blobs,
  openCalls,
  headDigest,
  bundleDigest,
}: BundleSummary) {
  return {
    origin: {
      session: origin.sessionId,
      member: origin.member,
      role: origin.role,
      exported_at: new Date(origin.exportedAt).toISOString(),
      ancestors: origin.ancestors.length,
    },
    messages,
    redacted,
    blobs,
    open_calls: openCalls.length,
    head_digest: headDigest,
    bundle_digest: bundleDigest,
  };
}

function summaryInWords({ origin, messages, redacted, openCalls, bundleDigest }: BundleSummary): string {
  const { member, sessionId, exportedAt, ancestors } = origin;
  const parts = [
    counted(messages, "message"),
    redacted > 0 && `${redacted} of them redacted`,
    openCalls.length > 0 && `${counted(openCalls.length, "call")} without a result`,
    ancestors.length > 0 && `forked ${counted(ancestors.length, "time")} on its way`,
  ].filter((part) => part !== false);
  return [
    `the bundle is whole: ${parts.join(", ")}`,
    `it says that it is ${visibleText(member ?? "without a member")}, session ${sessionId}, of ${new Date(exportedAt).toISOString()}`,
    `digest ${bundleDigest}; nothing was written`,
  ].join("\n");
}

function refuse(error: unknown, source: BundleSource, asJson: boolean): ExitCode {
  if (isSessionError(error, "member_already_exists")) {
    tellRefusal(error, { asJson, hints: ["choose another name with --as NAME; nothing was imported"] });
    return exitCode.failed;
  }
  if (!isSessionError(error) || !bundleCodes.has(error.code)) throw error;
  tellRefusal(error, { asJson, hints: [`nothing was imported from ${source.name}`] });
  return exitCode.failed;
}
