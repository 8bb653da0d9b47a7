import type { CommandContext } from "./command.ts";
import { UsageError } from "../terminal/exit-code.ts";

/** Most bytes of a prompt that is read from a pipe. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Where a prompt may come from. */
export interface PromptSource {
  /** The word of the command line, if any; `-` stands for standard input. */
  readonly word: string | undefined;
  /** True when a session is gone on with, which needs no prompt. */
  readonly continues: boolean;
}

/**
 * The prompt: the word, or standard input where it is `-` or where there is neither a word nor a session to go on in.
 *
 * @throws UsageError
 */
export async function readPrompt(
  { word, continues }: PromptSource,
  { interrupt }: Pick<CommandContext, "interrupt">,
): Promise<string | undefined> {
  if (word !== undefined && word !== "-") {
    if (word.trim() === "") throw new UsageError(["the prompt is empty"]);
    return word;
  }
  if (word === undefined && continues) return undefined;
  if (word === undefined && process.stdin.isTTY)
    throw new UsageError(['say what to do: basis run "PROMPT", or send it through a pipe']);
  const limit = {
    maxBytes: MAX_BYTES,
    what: "the prompt on standard input",
    instead: "name a file in it instead",
  };
  const text = decode(await readAll(process.stdin, limit, interrupt.signal)).trim();
  if (text === "") throw new UsageError(["standard input held no prompt"]);
  return text;
}

/** How much is read, and what a refusal of more says. */
export interface ReadLimit {
  readonly maxBytes: number;
  readonly what: string;
  readonly instead: string;
}

/** Reads a stream to its end. @throws UsageError beyond the limit. */
export async function readAll(
  input: NodeJS.ReadStream,
  { maxBytes, what, instead }: ReadLimit,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const onAbort = (): void => void input.destroy(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) throw new UsageError([`${what} is longer than ${maxBytes} bytes; ${instead}`]);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(["the prompt on standard input is not UTF-8 text"]);
  }
}
