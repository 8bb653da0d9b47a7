import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { StartError } from "../config/start-error.ts";

/** Longest line of a file that is replayed, in characters. */
const MAX_LINE = 64 * 1024 * 1024;

/** A line of a file; `torn` when the file ends in the middle of it. */
export interface NumberedLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  readonly torn: boolean;
}

/**
 * The lines of a regular file that are not empty, without holding more than one of them.
 *
 * @throws StartError `workspace` when there is no such file, or one with a line of more than 64 Mi characters.
 */
export async function* numberedLines(path: string, signal: AbortSignal): AsyncGenerator<NumberedLine> {
  await refuseOthers(path);
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let number = 0;
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
    const pieces = decoder.write(chunk).split("\n");
    pieces[0] = rest + pieces[0]!;
    rest = pieces.pop()!;
    if (rest.length > MAX_LINE)
      throw refusal(`${path}:${number + 1}: a line of more than ${MAX_LINE} characters`);
    for (const text of pieces) {
      number += 1;
      if (text.trim() !== "") yield { number, text, torn: false };
    }
  }
  rest += decoder.end();
  if (rest.trim() !== "") yield { number: number + 1, text: rest, torn: true };
}

async function refuseOthers(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    throw refusal(`${path}: ${found.code === "ENOENT" ? "there is no such file" : found.message}`);
  if (!found.isFile()) throw refusal(`${path}: it is no regular file`);
}

function refusal(problem: string): StartError {
  return new StartError("workspace", [problem]);
}
