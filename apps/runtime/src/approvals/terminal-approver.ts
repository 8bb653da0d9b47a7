import { visibleText, type ApprovalSubject, type Approver, type ApproverAnswer } from "@basis/approval";
import { canonicalJson, isJsonObject, type JsonValue } from "@basis/core";

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
 * Asks the person at the terminal, one call at a time. What was typed before the question is thrown away. A call that
 * starts a process or reaches outside takes the whole word `yes`; anything else than yes is no.
 */
export function terminalApprover(terminal: Terminal): Approver {
  let queue: Promise<unknown> = Promise.resolve();
  return {
    name: "you",
    approve(subject, { signal }): Promise<ApproverAnswer> {
      const answer = queue.then(() => ask(terminal, subject, signal));
      queue = answer.catch(() => undefined);
      return answer;
    },
  };
}

/** Denies every call, since nobody is there to be asked, and says so. */
export const nobodyToAsk: Approver = Object.freeze({
  name: "no terminal",
  approve: (): ApproverAnswer => ({
    decision: "deny",
    reason:
      "nobody can be asked here; run it in a terminal, or start it with --approve always, never or park",
  }),
});

async function ask(
  terminal: Terminal,
  subject: ApprovalSubject,
  signal: AbortSignal,
): Promise<ApproverAnswer> {
  signal.throwIfAborted();
  await discardTyped(terminal.input);
  const whole = subject.sideEffectLevel === "process" || subject.sideEffectLevel === "external";
  terminal.output.write(question(subject, whole));
  const line = (await readLine(terminal.input, signal)).trim().toLowerCase();
  const yes = line === "yes" || (!whole && line === "y");
  return yes ? { decision: "allow" } : { decision: "deny", reason: "the person at the terminal refused" };
}

function question(subject: ApprovalSubject, whole: boolean): string {
  const { toolName, sideEffectLevel, agentId, preview, input, digest } = subject;
  const shown = describe(preview ?? input);
  return [
    "",
    `${visibleText(agentId)} asks to use '${visibleText(toolName)}' (${sideEffectLevel})`,
    shown,
    `digest ${digest.slice(0, 23)}…`,
    whole ? "Type yes to allow it, anything else to refuse: " : "Allow it? y or yes, anything else refuses: ",
  ].join("\n");
}

/** One line a field, nested values as JSON, everything from outside made visible. */
function describe(value: JsonValue): string {
  if (!isJsonObject(value)) return `  ${visibleText(canonicalJson(value))}`;
  return Object.entries(value)
    .map(
      ([key, field]) =>
        `  ${visibleText(key)}: ${visibleText(typeof field === "string" ? field : canonicalJson(field))}`,
    )
    .join("\n");
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
