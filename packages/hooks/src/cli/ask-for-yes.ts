import { onAbort } from "@basis/core";

const TYPE_AHEAD_MS = 100;
const CTRL_C = "\u0003";

/** The streams that a person sits at. */
export interface PersonAtTerminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/**
 * Asks a question that only the whole word `yes` answers. What was typed before it was shown does not count: it is
 * read in raw mode for a moment, which also takes the line that the terminal still holds back, and dropped.
 *
 * @throws the signal's reason.
 */
export async function askForYes(question: string, person: PersonAtTerminal): Promise<boolean> {
  const { input, output, signal } = person;
  signal.throwIfAborted();
  const wasInterrupted = await dropTyped(input);
  if (wasInterrupted) return false;
  signal.throwIfAborted();
  output.write(question);
  const line = await readLine(person);
  return line.trim() === "yes";
}

/** True when a Ctrl-C was among it: in raw mode that is a plain character. */
async function dropTyped(input: NodeJS.ReadStream): Promise<boolean> {
  let wasInterrupted = false;
  const drop = (typed: Buffer | string): void => {
    wasInterrupted ||= typed.toString().includes(CTRL_C);
  };
  input.setRawMode(true);
  input.on("data", drop).resume();
  try {
    await new Promise((resolve) => setTimeout(resolve, TYPE_AHEAD_MS));
  } finally {
    input.off("data", drop).pause();
    input.setRawMode(false);
  }
  return wasInterrupted;
}

/** One line; what ends before its line feed is no answer. */
function readLine({ input, signal }: PersonAtTerminal): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const undo: (() => void)[] = [];
    const end = (settle: () => void): void => {
      for (const step of undo.splice(0)) step();
      input.pause();
      settle();
    };
    const onData = (chunk: Buffer | string): void => {
      text += chunk.toString();
      const at = text.indexOf("\n");
      if (at >= 0) end(() => resolve(text.slice(0, at)));
    };
    const onEnd = (): void => end(() => resolve(""));
    undo.push(
      () => input.off("data", onData).off("end", onEnd),
      onAbort(signal, () => end(() => reject(signal.reason as Error))),
    );
    input.on("data", onData).on("end", onEnd).resume();
  });
}
