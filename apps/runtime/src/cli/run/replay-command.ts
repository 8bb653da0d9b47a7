import { once } from "node:events";
import { basename, resolve } from "node:path";
import { isJsonObject, parseStrict } from "@basis/core";
import { StartError, startStage } from "../../config/start-error.ts";
import { numberedLines } from "../../replay/numbered-lines.ts";
import { defineCommand, type Command, type CommandContext } from "../arguments/command.ts";
import type { EventLine } from "../terminal/event-line.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { flag } from "../arguments/option.ts";
import { answer, complain, counted, progress, warn } from "../terminal/output-format.ts";
import { formatLine } from "../terminal/render-events.ts";

/** `basis replay`. */
export const replayCommand: Command = defineCommand({
  name: "replay",
  about: "Show a recorded run: an event log, or a cassette of --record.",
  more: [
    "An event log is what 'basis events' or 'basis run --json' printed. Nothing is run and nobody is asked. A line that is no event, as of a file that was cut off, is named and passed over, and so is a gap in the numbers; then the exit code is 1.",
    "To play a cassette as a model, run with --model cassette:FILE.",
  ],
  word: { name: "FILE", about: "the event log or the cassette", required: true },
  options: { open: flag("an event log in the console, in a browser, until Ctrl-C") },
  examples: [
    ["basis events main-1c2d3e4f > run.jsonl", "keep a run's log"],
    ["basis replay run.jsonl", "see it again, anywhere"],
    ["basis replay run.jsonl --open", "see it in the console"],
  ],
  run: async ({ word, options: { open } }, context) => {
    const path = resolve(context.directory, word!);
    const kind = await kindOf(path, context);
    if (open && kind === "cassette")
      throw new UsageError([
        "--open shows event logs; a cassette has none",
        "without --open it is told here",
      ]);
    if (open) return openInConsole(path, context);
    return kind === "cassette" ? showCassette(path) : showEvents(path, context);
  },
});

/** What a file's first line says that it is. @throws StartError `workspace` for a file of another kind. */
async function kindOf(path: string, { interrupt }: CommandContext): Promise<"cassette" | "events"> {
  for await (const { number, text } of numberedLines(path, interrupt.signal)) {
    const parsed = parseStrict(text);
    const value = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
    if (Object.hasOwn(value, "cassette")) return "cassette";
    if (Object.hasOwn(value, "type") && Object.hasOwn(value, "session")) return "events";
    const bundle = Object.hasOwn(value, "bundle") || Object.hasOwn(value, "format");
    throw new StartError("workspace", [
      `${path}:${number}: is neither an event nor the beginning of a cassette`,
      bundle
        ? "a session bundle is taken in with: basis sessions import"
        : "make such a file with: basis events SESSION > FILE, or: basis run --record FILE",
    ]);
  }
  throw new StartError("workspace", [`${path}: the file is empty`]);
}

async function showCassette(path: string): Promise<ExitCode> {
  const { readCassette } = await import("../../providers/cassette/read-cassette.ts");
  const { toldCassette } = await import("../../replay/told-cassette.ts");
  const cassette = await startStage("script", () => readCassette(path));
  for (const line of toldCassette(cassette)) await show(line, false);
  return exitCode.ok;
}

async function showEvents(path: string, { interrupt }: CommandContext): Promise<ExitCode> {
  const { fileEvents } = await import("../../replay/event-file.ts");
  const { ToldEvents } = await import("../../replay/told-event.ts");
  const told = new ToldEvents();
  let problems = 0;
  for await (const each of fileEvents(numberedLines(path, interrupt.signal))) {
    if (each.kind === "problem") {
      problems += 1;
      warn(`${path}:${each.line}: ${each.problem}`);
      continue;
    }
    const line = told.of(each.event);
    if (line !== undefined) await show(line, each.event.parent !== undefined);
  }
  if (problems > 0) complain(`${counted(problems, "line")} of it could not be shown as recorded`);
  return problems > 0 ? exitCode.failed : exitCode.ok;
}

/** Until the person has seen it: what was opened is a file, and goes with this process. */
async function openInConsole(path: string, { env, interrupt }: CommandContext): Promise<ExitCode> {
  const { consolePage, readConsoleFiles } = await import("../../page/console-page.ts");
  const { openPage } = await import("../../http/open-browser.ts");
  const lines = (async function* () {
    for await (const { text } of numberedLines(path, interrupt.signal)) yield text;
  })();
  const page = consolePage({ name: basename(path), lines, files: readConsoleFiles() });
  const { file, remove } = await openPage(page, { env, fail: warn });
  answer(file);
  progress("Ctrl-C ends it and removes this file");
  const staying = setInterval(() => undefined, 2 ** 30);
  await new Promise<void>((resolve) => interrupt.instead(resolve));
  clearInterval(staying);
  remove();
  return exitCode.ok;
}

/** One line on standard output, no faster than its reader takes it. */
async function show(line: EventLine, child: boolean): Promise<void> {
  const { stdout } = process;
  if (!stdout.write(`${formatLine(line, { stream: stdout, child })}\n`)) await once(stdout, "drain");
}
