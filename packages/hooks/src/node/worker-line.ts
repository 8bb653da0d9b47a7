import { isUtf8 } from "node:buffer";
import { isJsonObject, parseStrict } from "@basis/core";
import { checkAnswer, type AnswerCheck } from "../hook-decision.ts";
import { describeJsonProblem } from "../json-problem.ts";
import { MAX_ANSWER_BYTES } from "../wire.ts";

/** The version of the worker protocol. */
export const WORKER_PROTOCOL = 1;

const NEWLINE = 0x0a;

/** One line of a worker: `foreign` is whatever the protocol does not know. */
export type WorkerLine =
  | { readonly kind: "hello" }
  | { readonly kind: "answer"; readonly id: string; readonly check: AnswerCheck }
  | { readonly kind: "foreign"; readonly problem: string };

/** Reads a line without its line break: strict JSON in UTF-8, either a hello or an answer. Never throws. */
export function decodeWorkerLine(bytes: Uint8Array): WorkerLine {
  if (!isUtf8(bytes)) return foreign("it is not UTF-8 text");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const parsed = parseStrict(text, { maxBytes: MAX_ANSWER_BYTES });
  if (!parsed.ok) return foreign(describeJsonProblem(parsed));
  const { value } = parsed;
  if (!isJsonObject(value)) return foreign("it is not an object");
  const { id, hook_worker: protocol } = value;
  if (typeof id === "string") return { kind: "answer", id, check: checkAnswer(value, "is_error") };
  if (id !== undefined) return foreign("its id is not a text");
  if (protocol === undefined) return foreign("it has no id");
  return protocol === WORKER_PROTOCOL
    ? { kind: "hello" }
    : foreign(`its hook_worker is not ${WORKER_PROTOCOL}`);
}

/** A question as a worker reads it, with its line break. `request` is JSON already. */
export function encodeWorkerRequest(id: string, deadlineMs: number, request: string): string {
  return `{"id":"${id}","deadline_ms":${deadlineMs},"request":${request}}\n`;
}

/** Cuts a stream into lines; holds no more of it than one line may have, in however small pieces it comes. */
export class LineCutter {
  readonly #maxBytes: number;
  #kept: Buffer = Buffer.alloc(0);
  #keptBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that a chunk completes. `isOver` when what follows them is a longer line than there may be. */
  take(chunk: Buffer): { readonly lines: readonly Buffer[]; readonly isOver: boolean } {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#keptBytes + end - start > this.#maxBytes) return { lines, isOver: true };
      lines.push(this.#complete(chunk.subarray(start, end)));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (this.#keptBytes + rest.length > this.#maxBytes) return { lines, isOver: true };
    this.#keep(rest);
    return { lines, isOver: false };
  }

  #complete(part: Buffer): Buffer {
    if (this.#keptBytes === 0) return part;
    const line = Buffer.concat([this.#kept.subarray(0, this.#keptBytes), part]);
    this.#kept = Buffer.alloc(0);
    this.#keptBytes = 0;
    return line;
  }

  #keep(part: Buffer): void {
    const bytes = this.#keptBytes + part.length;
    if (bytes > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.min(2 * bytes, this.#maxBytes));
      this.#kept.copy(grown, 0, 0, this.#keptBytes);
      this.#kept = grown;
    }
    part.copy(this.#kept, this.#keptBytes);
    this.#keptBytes = bytes;
  }
}

function foreign(problem: string): WorkerLine {
  return { kind: "foreign", problem };
}
