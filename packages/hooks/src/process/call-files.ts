import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { PrintedText } from "./command.ts";

/** Error output beyond so many bytes is thrown away while a program still runs, but for its end. */
const STDERR_ROOM = 1024 * 1024;
const STDERR_KEPT = 64 * 1024;
/** Bytes in front of the output: a program appends, so they are gone only when it overwrote what it had printed. */
const MARK_BYTES = 16;

/** The standard streams of one program as files: readable by their owner alone, made for this call, soon without a name. */
export class CallFiles {
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly #mark: Buffer = randomBytes(MARK_BYTES);
  #named: string[] = [];
  #descriptors: number[] = [];
  /** The end of what was thrown away of the error output. */
  #earlier: Buffer = Buffer.alloc(0);

  private constructor(base: string) {
    this.stdin = `${base}.in`;
    this.stdout = `${base}.out`;
    this.stderr = `${base}.err`;
  }

  /** Undefined where no such files can be made. */
  static create(directory: string, id: number, input: string): CallFiles | undefined {
    const files = new CallFiles(join(directory, String(id)));
    try {
      writeInput(files.#open(files.stdin), input);
      writeSync(files.#open(files.stdout), files.#mark);
      files.#open(files.stderr);
      closeSync(files.#descriptors.shift() as number);
      return files;
    } catch {
      files.close();
      return undefined;
    }
  }

  /** The program has them open: nobody else needs to find them. */
  removeNames(): void {
    for (const path of this.#named.splice(0)) {
      try {
        unlinkSync(path);
      } catch {
        // the directory is gone, and they with it
      }
    }
  }

  /** Bytes printed so far. Keeps the files small: of the error output the end, of more output than may be nothing. */
  measure(maxBytes: number): number {
    const [stdout = -1, stderr = -1] = this.#descriptors;
    if (fstatSync(stderr).size > STDERR_ROOM) {
      this.#earlier = this.stderrTail(STDERR_KEPT);
      // The program appends, so it goes on at the start. What it prints between these two steps is lost.
      ftruncateSync(stderr, 0);
    }
    const size = fstatSync(stdout).size - MARK_BYTES;
    if (size > maxBytes) ftruncateSync(stdout, 0);
    return size;
  }

  /** What was printed, at most `maxBytes`; undefined when it is more. */
  readStdout(maxBytes: number): PrintedText | undefined {
    const [stdout = -1] = this.#descriptors;
    const { size } = fstatSync(stdout);
    if (size - MARK_BYTES > maxBytes) return undefined;
    const bytes = readFrom(stdout, 0, size);
    const overwritten = !bytes.subarray(0, MARK_BYTES).equals(this.#mark);
    const printed = overwritten ? bytes : bytes.subarray(MARK_BYTES);
    return { text: printed.toString("utf8"), exact: isUtf8(printed), overwritten };
  }

  /** The last bytes of the error output. */
  stderrTail(maxBytes: number): Buffer {
    const [, stderr = -1] = this.#descriptors;
    const { size } = fstatSync(stderr);
    const from = Math.max(0, size - maxBytes);
    return Buffer.concat([this.#earlier, readFrom(stderr, from, size - from)]).subarray(-maxBytes);
  }

  /** Lets go of them; they are gone with the last process that has them open. */
  close(): void {
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
    this.removeNames();
  }

  #open(path: string): number {
    const descriptor = openSync(path, "wx+", 0o600);
    this.#named.push(path);
    this.#descriptors.push(descriptor);
    return descriptor;
  }
}

function writeInput(descriptor: number, input: string): void {
  const bytes = Buffer.from(input, "utf8");
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
}

function readFrom(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const read = readSync(descriptor, bytes, at, length - at, from + at);
    if (read === 0) break;
    at += read;
  }
  return bytes.subarray(0, at);
}
