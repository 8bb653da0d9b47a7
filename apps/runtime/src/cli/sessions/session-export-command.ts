import { resolve } from "node:path";
import { isSessionError, type SessionRecord } from "@mobkit/session";
import { exportSession, type ExportSource } from "@mobkit/session/bundle";
import { consolePage, readConsoleFiles } from "../../page/console-page.ts";
import { familyEvents } from "../../page/family-events.ts";
import { transcriptPage } from "../../page/transcript-page.ts";
import type { ModelMessage } from "../../providers/model.ts";
import { findSession } from "../../store/find-session.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { flag, text } from "../arguments/option.ts";
import { answer, complain, counted, progress } from "../terminal/output-format.ts";
import { refuseTaken, writeNewFile, writeToOutput } from "../terminal/output-file.ts";

const options = {
  html: flag("a page to read instead of a bundle: one file, without script, that loads nothing"),
  console: flag("the console instead, with the events of this session and its family: one file, offline"),
  to: text("FILE", "write a new file, readable by you alone, instead of standard output"),
  json: flag("with --to: tell as JSON what was written"),
};

type ExportArguments = Arguments<typeof options>;

/** `basis sessions export`. */
export const sessionExportCommand: Command = defineCommand({
  name: "sessions export",
  about: "Write a session as a bundle that another store can import, or as a page to read.",
  more: [
    "A bundle is lines of JSON. It holds the whole transcript, also what was inherited from a source, with its attachments, digests and used tokens. Approvals, rules, events and leases stay behind. What was redacted before is not in it.",
    "Every digest is verified on the way. The bundle tells damage, not who wrote it: it is as private and as trustworthy as where you keep it.",
  ],
  word: { name: "SESSION", about: "a session's id or its member's name", required: true },
  options,
  examples: [
    ["basis sessions export reviewer --to reviewer.jsonl", "a file to keep or to hand on"],
    ["basis sessions export reviewer --html --to reviewer.html", "to read and to show"],
    ["basis sessions export reviewer --console --to run.html", "to see how a run went, anywhere"],
    ["basis sessions export reviewer | gzip > reviewer.jsonl.gz", "in a pipe"],
    ["basis sessions import reviewer.jsonl --as reviewer", "the way back, on any machine"],
  ],
  async run(args, context) {
    const { to, json, html, console } = args.options;
    if (html && console) throw new UsageError(["--html and --console are two kinds of page: give one"]);
    if (json && to === undefined)
      throw new UsageError(["--json goes with --to; without it the bundle itself is printed"]);
    if (to !== undefined) await refuseTaken(resolve(context.directory, to));
    return withState(context, (state) => exportNamed(state, args, context));
  },
});

async function exportNamed(
  state: HostState,
  { word, options: given }: ExportArguments,
  { directory, interrupt }: CommandContext,
): Promise<ExitCode> {
  const session = await findSession(state.store, word!);
  const { id, len } = session;
  const pieces = piecesOf(state, { session, title: word!, given }, interrupt.signal);
  try {
    if (given.to === undefined) {
      await writeToOutput(pieces);
      return exitCode.ok;
    }
    const file = resolve(directory, given.to);
    const bytes = await writeNewFile(file, pieces);
    if (given.json) answer(JSON.stringify({ session: id, file, messages: len, bytes }));
    else progress(`wrote ${file}: ${counted(len, "message")}, ${bytes} bytes`);
    return exitCode.ok;
  } catch (error) {
    if (!isSessionError(error, "bundle_stale")) throw error;
    complain(`${error.message}; what was written is no whole bundle`);
    return exitCode.failed;
  }
}

interface Exported {
  readonly session: SessionRecord;
  readonly title: string;
  readonly given: ExportArguments["options"];
}

function piecesOf(
  state: HostState,
  { session, title, given }: Exported,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const { store, events } = state;
  if (given.console) return consoleOf(state, session.id, title);
  if (!given.html) return brokenLines(store, session.id, signal);
  return transcriptPage({
    title,
    session,
    rows: store.read(session.id, { signal }),
    events: events.read(session.id),
    blobs: store.blobs,
  });
}

async function* consoleOf(
  state: HostState,
  session: string,
  name: string,
): AsyncGenerator<string, void, undefined> {
  const lines = (async function* () {
    for await (const event of familyEvents(state, session)) yield JSON.stringify(event);
  })();
  yield* consolePage({ name, lines, files: readConsoleFiles() });
}

async function* brokenLines(
  source: ExportSource<ModelMessage>,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  for await (const line of exportSession(source, sessionId, { signal })) yield `${line}\n`;
}
