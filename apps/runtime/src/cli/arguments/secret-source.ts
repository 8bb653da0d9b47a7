import { resolve } from "node:path";
import { readRegularFile } from "../../input/regular-file.ts";
import { SHORTEST_TEXT } from "../../redaction/texts.ts";
import type { CommandContext } from "./command.ts";
import { UsageError } from "../terminal/exit-code.ts";
import { readAll } from "./prompt-source.ts";

/** Most bytes of a text that is to be taken out, and of a pattern. */
const MAX_BYTES = 64 * 1024;

/** Where something comes from that must not stand among the arguments. */
export interface SecretSource {
  /** The option's name with its dashes. */
  readonly option: string;
  /** A file's path, or `-` for standard input. */
  readonly given: string;
}

/**
 * Reads what must not stand in a command line: from a file or standard input, without the line feed at its end. No refusal
 * shows what was given.
 *
 * @throws UsageError
 */
export async function readSecret(
  { option, given }: SecretSource,
  { directory, interrupt }: Pick<CommandContext, "directory" | "interrupt">,
): Promise<string> {
  if (given === "-" && process.stdin.isTTY)
    throw new UsageError([`${option} - reads a pipe: … | basis sessions redact …, or name a file`]);
  const limit = { maxBytes: MAX_BYTES, what: `what ${option} reads`, instead: "give less of it" };
  const bytes =
    given === "-"
      ? await readAll(process.stdin, limit, interrupt.signal)
      : readFileOf(option, resolve(directory, given));
  const text = decode(option, bytes).replace(/\r?\n$/, "");
  if (text.length < SHORTEST_TEXT)
    throw new UsageError([`${option} holds fewer than ${SHORTEST_TEXT} characters, which stand anywhere`]);
  return text;
}

/** The name is not shown: it may be the very text, given by mistake. */
function readFileOf(option: string, path: string): Buffer {
  try {
    return readRegularFile(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined)
      throw new UsageError([
        `${option}: ${(error as Error).message}; a pipe is read with: … | basis … ${option} -`,
      ]);
    throw new UsageError([
      `${option} names no file that can be read; write the text into a file, or send it with: ${option} -`,
      "what was given is not shown: should it be the text itself, your shell's history has it now",
    ]);
  }
}

function decode(option: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError([`${option} is not UTF-8 text`]);
  }
}
