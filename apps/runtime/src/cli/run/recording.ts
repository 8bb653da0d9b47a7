import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { visibleText } from "@basis/approval";
import type { CassetteRecorder } from "../../providers/cassette/cassette-recorder.ts";
import { secrets } from "../../secrets/secrets.ts";
import type { CommandContext } from "../arguments/command.ts";
import { UsageError } from "../terminal/exit-code.ts";
import { notWritten, refuseTaken, writeNewFile } from "../terminal/output-file.ts";
import { counted, paint, progress } from "../terminal/output-format.ts";

/** A recording under way. */
export interface Recording {
  readonly recorder: CassetteRecorder;
  /** Writes it, whole or not at all. */
  write(): Promise<void>;
}

/**
 * Begins a recording. The file (0600) is there once the run has ended, however it ended.
 *
 * @throws UsageError when there is a file of that name, or its directory takes none.
 */
export async function openRecording(
  file: string,
  { directory }: Pick<CommandContext, "directory">,
): Promise<Recording> {
  const path = resolve(directory, file);
  await refuseTaken(path);
  await access(dirname(path), constants.W_OK).catch((error: unknown) => {
    throw new UsageError([notWritten(path, error)]);
  });
  const { CassetteRecorder: Recorder } = await import("../../providers/cassette/cassette-recorder.ts");
  const recorder = new Recorder(secrets);
  return {
    recorder,
    async write() {
      await writeNewFile(path, recorder.lines());
      progress(
        paint.dim(
          `recorded ${counted(recorder.rounds, "round")}; play it with: --model cassette:${visibleText(file)}`,
        ),
      );
    },
  };
}
