import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isJsonObject, parseStrict, type JsonObject, type JsonValue } from "@basis/core";
import { checkShape } from "../../input/check-shape.ts";
import type { ModelMessage } from "../model.ts";
import { ModelError, type FileProblem } from "../model-error.ts";
import {
  lineSchemas,
  type CassetteLine,
  type HeadLine,
  type MessageLine,
  type RoundLine,
} from "./cassette-lines.ts";
import type { RequestHead } from "./recorded-request.ts";

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const MAX_PROBLEMS = 20;

/** A recorded round with its whole request. */
export interface RecordedRound extends Omit<RoundLine, "head" | "messages" | "kept"> {
  /** Where it stands in the file, from 1. */
  readonly line: number;
  readonly head: RequestHead;
  readonly digests: readonly string[];
  readonly messages: readonly ModelMessage[];
}

/** A cassette that was read. */
export interface Cassette {
  /** As it was named. */
  readonly file: string;
  readonly first: CassetteLine;
  readonly rounds: readonly RecordedRound[];
}

/** Reads a cassette. @throws ModelError `cassette_file` with every problem and its line. */
export async function readCassette(path: string, signal?: AbortSignal): Promise<Cassette> {
  signal?.throwIfAborted();
  let source: string;
  try {
    source = await readText(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : `it can't be read: ${code ?? message}`;
    throw cassetteError(path, [{ pointer: "", message: why }]);
  }
  return parseCassette(source, path);
}

/** The cassette in a text; `file` names it in errors. @throws ModelError `cassette_file`. */
export function parseCassette(source: string, file: string): Cassette {
  const reading = new Reading();
  const lines = source.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else reading.report(lines.length, "the file ends in the middle of a line: it was cut off");
  for (const [index, line] of lines.entries()) reading.take(line, index + 1);
  const { first, rounds, problems } = reading;
  if (first !== undefined && problems.length === 0) return { file, first, rounds };
  if (problems.length === 0) reading.report(1, "the file is empty");
  throw cassetteError(file, problems);
}

class Reading {
  readonly problems: FileProblem[] = [];
  readonly rounds: RecordedRound[] = [];
  first: CassetteLine | undefined;
  readonly #heads = new Map<string, RequestHead>();
  readonly #messages = new Map<string, ModelMessage>();
  readonly #streams = new Map<number, readonly string[]>();

  take(text: string, line: number): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    const parsed = parseStrict(text, { maxBytes: MAX_LINE_BYTES });
    if (!parsed.ok) return this.report(line, parsed.message);
    const kind = kindOf(parsed.value);
    const isFirst = line === 1;
    if (kind === undefined || isFirst !== (kind === "cassette"))
      return this.report(
        line,
        isFirst ? "is not the first line of a cassette" : "is neither a message nor a head nor a round",
      );
    const problems = checkShape(lineSchemas.get(kind)!, parsed.value);
    for (const { pointer, message } of problems) this.problems.push({ pointer, message, line });
    if (problems.length === 0) this.#add(kind, parsed.value as JsonObject, line);
  }

  report(line: number, message: string): void {
    this.problems.push({ pointer: "", message, line });
  }

  #add(kind: string, value: JsonObject, line: number): void {
    switch (kind) {
      case "cassette":
        this.first = value as unknown as CassetteLine;
        return;
      case "message": {
        const { message, body } = value as unknown as MessageLine;
        this.#messages.set(message, body);
        return;
      }
      case "head": {
        const { head, ...facts } = value as unknown as HeadLine;
        this.#heads.set(head, facts);
        return;
      }
      default:
        this.#addRound(value as unknown as RoundLine, line);
    }
  }

  #addRound({ head: headDigest, messages: added, kept, ...round }: RoundLine, line: number): void {
    const before = this.#streams.get(round.stream) ?? [];
    const digests = [...before.slice(0, kept), ...added];
    const messages = digests.map((digest) => this.#messages.get(digest));
    const head = this.#heads.get(headDigest);
    const isWhole = kept <= before.length && head !== undefined && !messages.includes(undefined);
    if (!isWhole) return this.report(line, "names a message or head that does not stand before it");
    if (round.error === undefined && round.events.at(-1)?.type !== "finish")
      return this.report(line, "holds a round that does not end with `finish`");
    this.#streams.set(round.stream, digests);
    this.rounds.push({ ...round, line, head, digests, messages: messages as readonly ModelMessage[] });
  }
}

function kindOf(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return undefined;
  return ["cassette", "round", "head", "message"].find((name) => Object.hasOwn(value, name));
}

/** A regular file of UTF-8 text; a pipe is not waited for. */
async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size, isFile } = await file
      .stat()
      .then((facts) => ({ size: facts.size, isFile: facts.isFile() }));
    if (!isFile) throw new Error("it is no regular file");
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } finally {
    await file.close();
  }
}

function cassetteError(file: string, problems: readonly FileProblem[]): ModelError<"cassette_file"> {
  const told = problems.map(({ pointer, message, line }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return pointer === "" ? `${place}: ${message}` : `${place}: ${pointer}: ${message}`;
  });
  return new ModelError("cassette_file", told.join("\n"), { details: { file, problems } });
}
