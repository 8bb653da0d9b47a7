import { resolve } from "node:path";
import { isSqliteStoreError } from "@mobkit/session-sqlite";
import { defineCommand, type Command } from "../arguments/command.ts";
import { exitCode, UsageError } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { flag } from "../arguments/option.ts";
import { answer, progress } from "../terminal/output-format.ts";
import { refuseTaken } from "../terminal/output-file.ts";
import { tellRefusal } from "./refusal.ts";

/** `basis sessions backup`. */
export const sessionBackupCommand: Command = defineCommand({
  name: "sessions backup",
  about: "Copy the whole store, as it is at one moment, into a new file.",
  more: [
    "It works beside running turns. The copy is checked, and its name appears when it is whole and on the disk. Never copy sessions.db by other means while something uses it.",
    "To go back to it: end what uses the store, move sessions.db with its -wal and -shm away, and put the copy in its place. The event log is not in it; what is missing there is completed from the transcripts by the next runs.",
    "What was redacted afterwards is still in the copy.",
  ],
  word: { name: "FILE", about: "the new file, readable by you alone", required: true },
  options: { json: flag("the copy's facts as JSON on standard output") },
  examples: [["basis sessions backup /media/disk/sessions-monday.db", "a copy on another disk"]],
  async run({ word, options }, context) {
    const file = resolve(context.directory, word!);
    await refuseTaken(file);
    return withState(context, async ({ backup }) => {
      if (backup === undefined)
        throw new UsageError([
          "the sessions are in a database: back it up with pg_dump, which takes its transcripts, approvals and events as they are at one moment",
        ]);
      try {
        const { path, bytes, generation } = await backup(file, { signal: context.interrupt.signal });
        if (options.json) answer(JSON.stringify({ file: path, bytes, redactions: generation }));
        else progress(`wrote ${path}: ${bytes} bytes`);
        return exitCode.ok;
      } catch (error) {
        if (!isSqliteStoreError(error, "backup_failed")) throw error;
        tellRefusal(error, { asJson: options.json ?? false });
        return exitCode.failed;
      }
    });
  },
});
