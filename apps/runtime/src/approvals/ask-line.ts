import { secrets } from "../secrets/secrets.ts";

const TYPE_AHEAD_MS = 50;

/** The streams that a person sits at. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Whether somebody can be asked: both streams are a terminal. */
export function isInteractive({ input, output }: Terminal): boolean {
  return input.isTTY && output.isTTY;
}

/**
 * Shows a question and answers the line that is typed after it, trimmed. What was typed before is thrown away.
 *
 * @throws the signal's reason.
 */
export async function askLine(terminal: Terminal, question: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  await discardTyped(terminal.input);
  terminal.output.write(secrets.redact(question));
  return (await readLine(terminal.input, signal)).trim();
}

/**
 * What was typed before a question does not answer it. Reading in raw mode for a moment also takes what the terminal
 * itself holds back: the beginning of a line. Ctrl-C, which is a plain character there, stays an interruption.
 */
async function discardTyped(input: NodeJS.ReadStream): Promise<void> {
  const drop = (typed: Buffer | string): void => {
    if (typed.toString().includes("\u0003")) process.kill(process.pid, "SIGINT");
  };
  input.setRawMode(true);
  input.on("data", drop).resume();
  try {
    await new Promise((resolve) => setTimeout(resolve, TYPE_AHEAD_MS));
  } finally {
    input.off("data", drop).pause();
    input.setRawMode(false);
  }
}

function readLine(input: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const end = (): void => {
      input.off("data", onData).off("end", onEnd).pause();
      signal.removeEventListener("abort", onAbort);
    };
    const onData = (chunk: Buffer | string): void => {
      text += chunk.toString();
      if (!text.includes("\n")) return;
      end();
      resolve(text.slice(0, text.indexOf("\n")));
    };
    const onEnd = (): void => {
      end();
      resolve("");
    };
    const onAbort = (): void => {
      end();
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    input.on("data", onData).on("end", onEnd).resume();
  });
}
