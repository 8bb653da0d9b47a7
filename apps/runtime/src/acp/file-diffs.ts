import { isUtf8 } from "node:buffer";
import { lstat } from "node:fs/promises";
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { isJsonObject, type JsonValue } from "@basis/core";
import { readConfined } from "../tools/confined-file.ts";
import { pathOf } from "./tool-view.ts";

/** Most bytes of a file that is shown as a difference. */
const MAX_BYTES = 256 * 1024;

interface Reading {
  readonly done: Promise<void>;
  isLate: boolean;
}

/**
 * What writes of a turn replace. A file is read when its call is queued, before anything runs; what has not been read
 * when the call begins is not told, so that no difference shows what the call itself has written.
 */
export class FileDiffs {
  readonly #root: string;
  /** What files held; null where there was none. */
  readonly #old = new Map<string, string | null>();
  readonly #reading = new Map<string, Reading>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Reads what a write would replace; resolves once that is known, or cannot be. */
  expect(input: JsonValue): Promise<void> {
    const write = this.#writeOf(input);
    if (write === undefined || this.#old.has(write.path)) return Promise.resolve();
    const known = this.#reading.get(write.path);
    if (known !== undefined) return known.done;
    const reading: Reading = {
      isLate: false,
      done: Promise.resolve().then(async () => {
        const text = await readText(this.#root, write.path);
        if (reading.isLate) return;
        this.#reading.delete(write.path);
        if (text !== undefined) this.#old.set(write.path, text);
      }),
    };
    this.#reading.set(write.path, reading);
    return reading.done;
  }

  /** The difference that a write makes, as far as what was there is known. */
  of(input: JsonValue): ToolCallContent | undefined {
    const write = this.#writeOf(input);
    if (write === undefined || write.newText.length > MAX_BYTES) return undefined;
    const oldText = this.#old.get(write.path);
    return oldText === undefined ? undefined : { type: "diff", ...write, oldText };
  }

  /** A write begins: what is read from here on may be its own. */
  begin(input: JsonValue): void {
    const path = this.#writeOf(input)?.path ?? "";
    const reading = this.#reading.get(path);
    if (reading === undefined) return;
    reading.isLate = true;
    this.#reading.delete(path);
  }

  /** A write is over: what a later one replaces is what it left, or is read anew. */
  settle(input: JsonValue, isError: boolean): void {
    const write = this.#writeOf(input);
    if (write === undefined) return;
    if (isError) this.#old.delete(write.path);
    else this.#old.set(write.path, write.newText);
  }

  #writeOf(input: JsonValue): { readonly path: string; readonly newText: string } | undefined {
    const newText = isJsonObject(input) ? input["content"] : undefined;
    const path = pathOf({ input, root: this.#root });
    return typeof newText === "string" && path !== undefined ? { path, newText } : undefined;
  }
}

/** Null where there is no file; undefined for what is no text, too big or out of reach. */
async function readText(root: string, path: string): Promise<string | null | undefined> {
  try {
    const bytes = await readConfined(root, path, MAX_BYTES);
    return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString("utf8") : undefined;
  } catch {
    return lstat(path).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : undefined),
    );
  }
}
